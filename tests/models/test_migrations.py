"""All tables made at once are those that the migrations one after another make."""

from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState


def _as_told(model: ModelState) -> tuple[dict[str, str], set[str], list[str]]:
    """Fields by name, constraints and indexes, and everything else of a model."""
    fields = {name: repr(field.deconstruct()[1:]) for name, field in model.fields.items()}
    options = dict(model.options)
    kept = [*options.pop("constraints", []), *options.pop("indexes", [])]
    rest = [repr(sorted(options.items())), repr(model.bases), repr(model.managers)]
    return fields, {repr(each.deconstruct()) for each in kept}, rest


def test_what_replaces_the_first_migrations_makes_the_same_tables(settings):
    settings.MIGRATION_MODULES = {}
    steps = MigrationLoader(None, replace_migrations=False)
    [whole] = [key for key, step in steps.disk_migrations.items() if step.replaces]
    last = steps.disk_migrations[whole].replaces[-1]
    at_once, one_by_one = (
        {name: _as_told(model) for name, model in steps.project_state(state).models.items()}
        for state in (whole, last)
    )
    assert len(at_once) > 30
    assert at_once == one_by_one

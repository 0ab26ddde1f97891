from django.db import migrations, models
from django.db.models import F, Q


def move_what_waits(apps, schema_editor):
    """The date of what is pending gets its own column.

    A wording in force that nobody approved keeps the date for which it waited; what waits
    beside such a one is left to a person.
    """
    waiting = apps.get_model("reviewer", "Learning").objects.filter(
        Q(current__isnull=True) | Q(approved_by__isnull=False), pending__isnull=False
    )
    waiting.update(pending_from=F("in_force_from"), in_force_from=None)


def move_it_back(apps, schema_editor):
    """The other way round; beside a wording that nobody approved the date is lost."""
    waiting = apps.get_model("reviewer", "Learning").objects.filter(
        Q(current__isnull=True) | Q(approved_by__isnull=False), pending__isnull=False
    )
    waiting.update(in_force_from=F("pending_from"))


class Migration(migrations.Migration):
    dependencies = [("reviewer", "0017_runs_with_a_lease")]

    operations = [
        migrations.AddField(
            model_name="learning",
            name="pending_from",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(move_what_waits, move_it_back),
        migrations.AddConstraint(
            model_name="learning",
            constraint=models.CheckConstraint(
                condition=Q(pending_from__isnull=True) | Q(pending__isnull=False),
                name="learning_only_what_is_pending_waits",
            ),
        ),
    ]

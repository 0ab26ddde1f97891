"""Raw answers are kept for the time that the workspace has set, and removed after it.

What was read from them stays: findings, verdicts, outcomes, what they cost.
"""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from reviewer.core.wording import counted
from reviewer.models import Answer, ModelSettings, Workspace
from reviewer.services.events import record


def forget_old_answers() -> int:
    """Delete raw answers older than each workspace keeps them; returns how many.

    Each workspace that loses any is told so by an event.
    """
    default = ModelSettings().keep_answers_days
    own = dict(ModelSettings.objects.values_list("workspace", "keep_answers_days"))
    return sum(
        _forget(workspace, own.get(workspace.pk, default)) for workspace in Workspace.objects.all()
    )


def _forget(workspace: Workspace, days: int) -> int:
    old = Answer.objects.filter(
        reading__review__version__proposal__workspace=workspace,
        created_at__lt=timezone.now() - timedelta(days=days),
    )
    with transaction.atomic():
        count = old.delete()[0]
        if count:
            record(
                workspace=workspace,
                subject=workspace,
                verb="answers removed",
                by=None,
                why=f"{counted(count, 'raw answer')} older than {days} days; what was "
                f"found in {'it' if count == 1 else 'them'} stays",
            )
    return count

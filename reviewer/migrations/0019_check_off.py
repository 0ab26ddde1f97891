from django.db import migrations, models
from django.db.models import Q

ACTS = [
    ("mark_fixed", "marked fixed"),
    ("dismiss", "dismissed"),
    ("accept", "accepted"),
    ("reopen", "reopened"),
    ("undo", "took back"),
    ("uphold", "signed that it stands"),
    ("close", "signed that it is fixed"),
    ("severity", "changed its severity"),
    ("merge", "merged into another"),
    ("split", "took apart"),
    ("raise", "raised"),
    ("lapse", "lapsed"),
    ("check_off", "ended with its check"),
]


class Migration(migrations.Migration):
    dependencies = [("reviewer", "0018_pending_from")]

    operations = [
        migrations.AlterField(
            model_name="decision",
            name="act",
            field=models.CharField(choices=ACTS, max_length=12),
        ),
        migrations.RemoveConstraint(model_name="decision", name="decision_has_an_actor"),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=Q(actor__isnull=False) | Q(act__in=["lapse", "check_off"]),
                name="decision_has_an_actor",
            ),
        ),
    ]

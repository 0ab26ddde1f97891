"""Which model reads for a workspace, how much at once and for how much money."""

from django.db import models

from reviewer.core.raw import Way
from reviewer.models.workspace import Workspace


class Depth(models.TextChoices):
    QUICK = "quick", "quick: one pass over the whole document, no checks; clears nothing"
    STANDARD = "standard", "standard: three blind passes, every candidate checked"
    THOROUGH = "thorough", "thorough: four blind passes, two models where two are set up, sweeps"


class ModelSettings(models.Model):
    """A workspace's own connection; where it has none, the installation's is used."""

    workspace = models.OneToOneField(Workspace, models.CASCADE, related_name="model_settings")
    api_key = models.TextField(blank=True)
    """Sealed by the installation's secret; never shown, never logged."""
    key_ends = models.CharField(max_length=4, blank=True)
    base_url = models.URLField(max_length=200, blank=True)
    model = models.CharField(max_length=120, blank=True)
    second_model = models.CharField(max_length=120, blank=True)
    depth = models.CharField(max_length=10, choices=Depth.choices, default=Depth.STANDARD)
    calls_at_once = models.PositiveSmallIntegerField(default=8)
    monthly_limit = models.DecimalField(max_digits=10, decimal_places=2, null=True, blank=True)
    """US dollars a calendar month; empty is no limit."""
    keep_answers_days = models.PositiveIntegerField(default=90)
    lost_alarm_percent = models.PositiveSmallIntegerField(default=5)
    prices = models.JSONField(default=dict, blank=True)
    """The workspace's own prices by model, in dollars a million tokens."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(calls_at_once__gt=0), name="model_settings_some_calls_at_once"
            ),
            models.CheckConstraint(
                condition=models.Q(monthly_limit__isnull=True) | models.Q(monthly_limit__gte=0),
                name="model_settings_limit_not_negative",
            ),
            models.CheckConstraint(
                condition=models.Q(depth__in=Depth.values), name="model_settings_depth_is_known"
            ),
            models.CheckConstraint(
                condition=models.Q(lost_alarm_percent__lte=100),
                name="model_settings_alarm_is_a_share",
            ),
        ]


class ModelWay(models.Model):
    """The way of asking that a model on a server takes, learned from its refusals."""

    server = models.CharField(max_length=200)
    model = models.CharField(max_length=120)
    way = models.CharField(max_length=20, choices=[(way.value, way.value) for way in Way])
    learned_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["server", "model"], name="model_way_once_a_server_and_model"
            )
        ]

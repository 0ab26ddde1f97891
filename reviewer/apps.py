"""The one Django application of the project."""

from django.apps import AppConfig


class ReviewerConfig(AppConfig):
    name = "reviewer"
    verbose_name = "Reviewer"

    def ready(self) -> None:
        # Tasks find their application here, so that `reviewer.core` can be imported
        # without Celery or Django.
        from reviewer import checks, tasks
        from reviewer.celery import app

        app.set_default()
        assert checks
        assert tasks

"""Thin Celery tasks: an id in, one service call. Delivered twice, they do their work once."""

from celery import shared_task

from reviewer.services import (
    asked_mail,
    calibration,
    conversion,
    exports,
    readings,
    replay,
    rescue,
    retention,
)


@shared_task
def convert_version(version_id: int) -> None:
    """Turn an uploaded version into sheets."""
    conversion.convert_version(version_id)


@shared_task
def perform_reading(reading_id: int) -> None:
    """Ask a model for one reading and record its answer."""
    readings.perform_reading(reading_id)


@shared_task
def run_calibration(run_id: int) -> None:
    """Have a model read the planted sample."""
    calibration.run_calibration(run_id)


@shared_task
def replay_answers(replay_id: int) -> None:
    """Read every stored answer of a workspace again, and store what is recovered."""
    replay.run_replay(replay_id)


@shared_task
def make_export(export_id: int) -> None:
    """Make the files of one export."""
    exports.make_export(export_id)


@shared_task
def tell_managers(approval_id: int) -> None:
    """Mail those who can approve that they were asked."""
    asked_mail.send_mails(approval_id)


@shared_task
def forget_answers() -> None:
    """Delete raw answers that are older than their workspace keeps them."""
    retention.forget_old_answers()


@shared_task(name="reviewer.tasks.rescue")
def rescue_work() -> None:
    """Send again what a dead worker or a broker that was away left behind."""
    rescue.send_again()

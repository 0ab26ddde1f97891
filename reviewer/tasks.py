"""Thin Celery tasks: an id in, one service call. Delivered twice, they do their work once."""

from celery import shared_task

from reviewer.services import conversion, readings, rescue


@shared_task
def convert_version(version_id: int) -> None:
    """Turn an uploaded version into sheets."""
    conversion.convert_version(version_id)


@shared_task
def perform_reading(reading_id: int) -> None:
    """Ask a model for one reading and record its answer."""
    readings.perform_reading(reading_id)


@shared_task(name="reviewer.tasks.rescue")
def rescue_work() -> None:
    """Send again what a dead worker or a broker that was away left behind."""
    rescue.send_again()

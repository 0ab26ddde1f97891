"""Ways of asking, remembered per server and model, for every worker."""

from django.db import connection as database

from reviewer.core.raw import Way
from reviewer.models import ModelWay


class StoredWays:
    """The store of ways that a provider for `server` uses."""

    def __init__(self, server: str) -> None:
        self._server = server

    def way_of(self, model: str) -> Way | None:
        """The way remembered for `model`, if any."""
        way = ModelWay.objects.filter(server=self._server, model=model).first()
        self._let_go()
        return Way(way.way) if way else None

    def remember(self, model: str, way: Way) -> None:
        """Remember `way` for `model`, for this and every other worker."""
        ModelWay.objects.update_or_create(
            server=self._server, model=model, defaults={"way": way.value}
        )
        self._let_go()

    def _let_go(self) -> None:
        # It is asked in the middle of a call, during which no connection is held.
        if not database.in_atomic_block:
            database.close()

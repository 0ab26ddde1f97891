"""Ways of asking, remembered per server and model, for every worker."""

import time

from reviewer.core.raw import Way
from reviewer.models import ModelWay
from reviewer.services.lease import release_database

LOOK_AGAIN_SECONDS = 60.0


class StoredWays:
    """The store of ways that a provider for `server` uses; safe to share between threads.

    It is asked in the middle of a call, during which no connection is held.

    What was looked up is taken as true for LOOK_AGAIN_SECONDS: a way that another worker has
    learned since is learned here by the same refusal, or looked up then.
    """

    def __init__(self, server: str) -> None:
        self._server = server
        self._looked_up: dict[str, tuple[Way | None, float]] = {}

    def way_of(self, model: str) -> Way | None:
        """The way remembered for `model`, if any."""
        way, until = self._looked_up.get(model, (None, 0.0))
        if time.monotonic() < until:
            return way
        row = ModelWay.objects.filter(server=self._server, model=model).first()
        release_database()
        return self._note(model, Way(row.way) if row else None)

    def remember(self, model: str, way: Way) -> None:
        """Remember `way` for `model`, for this and every other worker."""
        ModelWay.objects.update_or_create(
            server=self._server, model=model, defaults={"way": way.value}
        )
        release_database()
        self._note(model, way)

    def _note(self, model: str, way: Way | None) -> Way | None:
        self._looked_up[model] = (way, time.monotonic() + LOOK_AGAIN_SECONDS)
        return way

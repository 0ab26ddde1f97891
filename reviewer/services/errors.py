"""What a service says when it does not do what was asked.

    ServiceError
    ├── NotAllowed        the member may not do this (403)
    ├── Refused           it cannot be done, and the sentence says what to do instead
    └── MovedMeanwhile    somebody else was first; today's state must be looked at again

Each message is a whole sentence for the person who acted.
"""


class ServiceError(Exception):
    """What was asked was not done; nothing was changed."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotAllowed(ServiceError):
    """The member's role does not allow it."""


class Refused(ServiceError):
    """It cannot be done as things stand."""


class MovedMeanwhile(ServiceError):
    """The thing is not in the state any more in which the person saw it."""

"""Ways in which the procedure ends before its last step."""

from proveout.apps.solver.decision import Link
from proveout.apps.solver.validating.outcome import Ruling


class Decided(Exception):  # noqa: N818 - control flow: an earlier step has given the outcome
    """An outcome that makes every later step needless."""

    def __init__(self, ruling: Ruling) -> None:
        super().__init__(ruling.step)
        self.ruling = ruling


class Unclear(Exception):  # noqa: N818 - an outcome: the requester is asked
    """Something that the requester has to say before anything can be done."""

    def __init__(self, reason: str, links: tuple[Link, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        """For the record; it names kinds of things, never their values."""
        self.links = links


class Empty(Exception):  # noqa: N818 - an outcome: nothing was found
    """A value is wanted from a result that has none."""

"""Features and looks of a frame, worked out once: the score, the names and the tools share them."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

from proveout.apps.iqa.features import vector
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.frame import Frame
from proveout.apps.iqa.second_look import Looks, look
from proveout.apps.iqa.view import View, view_of


class Seen(NamedTuple):
    """What the models are asked about a frame, and what they say."""

    values: Doubles
    looks: Looks


_SEEN: WeakKeyDictionary[Frame, Seen] = WeakKeyDictionary()
"""As long as the frame is held by somebody; a few kilobytes each."""


def seen_in(frame: Frame, view: View | None = None) -> Seen:
    """The same for whoever asks; `view` is the frame's own, where the caller has made it."""
    found = _SEEN.get(frame)
    if found is None:
        view = view or view_of(frame)
        values = vector(view)
        values.setflags(write=False)
        found = _SEEN[frame] = Seen(values, look(values, view))
    return found

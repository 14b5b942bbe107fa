"""What workers are asked to do besides runs; each is named by an order."""

from collections.abc import Callable, Mapping
from pathlib import Path

from proveout.kernel.errors import UsageError

MOST_BYTES = 2_000_000
TRIAL_SIDE = 64


def check_leakage(source: str, path: str, filename: str) -> dict[str, object]:
    """The leakage report of a script that is given as text or as a file."""
    from proveout.apps.mle.leakage import examine
    from proveout.apps.mle.leakage.formats import as_data

    return as_data(examine(_text(Path(path)) if path else source, filename=filename))


def try_iqa() -> None:
    """Assess a small picture, so that the next one finds models and decoder loaded."""
    import cv2
    import numpy as np

    from proveout.apps.iqa import assess

    steps = np.arange(TRIAL_SIDE * TRIAL_SIDE * 3).reshape(TRIAL_SIDE, TRIAL_SIDE, 3)
    _, encoded = cv2.imencode(".png", (steps % 251).astype(np.uint8))
    assess(encoded.tobytes())


TRIALS: Mapping[str, Callable[[], None]] = {"iqa": try_iqa}
"""What makes an app ready that is not ready once it is loaded."""


def _text(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            message = f"{path.name} is not a file of at most {MOST_BYTES / 1e6:g} MB"
            raise UsageError(message, hint="name a script or a notebook")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path.name} is not a text in UTF-8"
        raise UsageError(message) from error
    except OSError as error:
        message = f"{path.name} cannot be read: {error.strerror}"
        raise UsageError(message) from error

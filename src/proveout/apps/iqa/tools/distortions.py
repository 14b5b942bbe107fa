"""How a distortion is asked for: by name or category of the catalogue, in any spelling."""

from functools import lru_cache

from proveout.apps.iqa.catalogue import CATALOGUE


@lru_cache(maxsize=1024)
def normal(name: str) -> str:
    """`JPEG 2000`, `jpeg-2000` and `jpeg2000` are the same."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def covers(strength: str, wanted: str) -> bool:
    """Whether a tool's `strength` speaks for the distortion or the category `wanted`."""
    asked = normal(wanted)
    entry = CATALOGUE.get(strength)
    return asked == normal(strength) or (entry is not None and asked == normal(entry.category))

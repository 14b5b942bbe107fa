"""All detectors at once."""

from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.detectors import blur, coding, colour, light, noise, structure
from proveout.apps.iqa.detectors.reading import Reading
from proveout.apps.iqa.frame import ImageFacts
from proveout.apps.iqa.view import View


def read_all(view: View, file: ImageFacts) -> dict[str, Reading]:
    """What every detector measures, in the catalogue's order."""
    found = (
        blur.read(view)
        | noise.read(view)
        | coding.read(view, file)
        | light.read(view)
        | colour.read(view)
        | structure.read(view)
    )
    return {name: found[name] for name in CATALOGUE}

"""Sentences about evidence, in a fixed order; every number in them stands in the evidence.

`Notes` collects the numbers as they are used, under stable ids, so that a reader (and a check) can
follow each of them to where it was measured.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.experts.ground import Ground, Seen, loss
from proveout.apps.iqa.fusion import level_of
from proveout.apps.iqa.language.numbers import numbers_grounded
from proveout.apps.iqa.models import GLOBAL
from proveout.apps.iqa.places import EVERYWHERE, worst_place

_MOST_WARNINGS = 3
_UNNAMED = 4.0
_ADVICE: dict[str, str] = {
    "motion_blur": "Use a shorter exposure or a steadier camera",
    "gaussian_blur": "Focus anew; mild deconvolution or sharpening helps only a little",
    "lens_blur": "Focus anew or stop the lens down",
    "upscaling": "Go back to the picture at its original size",
    "denoising": "Reduce noise less strongly, from the raw file if there is one",
    "impulse_noise": "A small median filter removes it",
    "jpeg": "Save again from the original with a higher quality setting",
    "jpeg2000": "Save again from the original with less compression",
    "webp": "Save again from the original with less compression",
    "oversharpening": "Sharpen less, with a smaller radius",
    "overexposure": "Expose less; clipped tones cannot be brought back",
    "clipping": "Expose less; clipped tones cannot be brought back",
    "underexposure": "Expose longer or lift the shadows, which will raise noise",
    "vignetting": "Correct the lens profile",
    "haze": "Apply haze removal or raise local contrast",
    "color_cast": "Correct the white balance",
    "oversaturation": "Lower the saturation",
    "undersaturation": "Raise the saturation",
    "chromatic_aberration": "Correct lateral colour with the lens profile",
    "quantization": "Keep more bits per channel, or dither",
    "pixelation": "Go back to the picture at its original size",
    "moire": "Photograph from another distance, or filter before reducing the size",
    "interlacing": "Deinterlace the frame",
}
_WARNINGS: dict[str, str] = {
    "tiny": "the picture is very small, so little can be measured in it",
    "flat": "the picture is almost empty",
    "monochrome": "the picture has no colour, so colour faults cannot be told",
    "night": "it is a dark scene, where noise and exposure are harder to judge",
    "screen": "it looks like a screenshot; the scale was fitted on photos",
    "line_art": "it looks like a drawing or a document; the scale was fitted on photos",
    "medical": "it looks like a medical picture; the scale was fitted on photos of scenes",
    "generated": "it looks generated; faults of content are not measured",
}
"""What the codes of the measurement mean; other warnings are quoted as they are."""
_FAMILY_ADVICE: dict[str, str] = {
    "Noise": "Use a lower ISO setting or reduce noise gently",
    "Compression": "Save again from the original with less compression",
    "Contrast": "Adjust the tone curve",
    "Brightness change": "Correct the exposure",
    "Color distortions": "Correct the colours against a neutral patch",
    "Blurs": "Focus anew and hold the camera still",
    "Sharpness": "Sharpen less",
    "Spatial distortions": "Go back to the original file",
}


@dataclass
class Notes:
    """Sentences and the numbers they quote."""

    sentences: list[str] = field(default_factory=list)
    used: dict[str, float] = field(default_factory=dict)

    def say(self, sentence: str, **numbers: float) -> None:
        self.sentences.append(sentence)
        self.used |= {name.replace("__", "."): value for name, value in numbers.items()}

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def called(seen: Seen) -> str:
    """What a sentence calls a distortion."""
    entry = CATALOGUE.get(seen.name)
    return entry.words if entry else seen.name.replace("_", " ").lower()


def visible(seen: Sequence[Seen]) -> list[Seen]:
    """The distortions that people notice, worst first."""
    there = [one for one in seen if one.applicable and one.severity != "none"]
    return sorted(there, key=lambda one: (-loss(one), one.name))


def is_plural(scope: str) -> bool:
    """Whether a region is several things, as far as its ending tells."""
    return scope.endswith("s") and not scope.endswith(("ss", "us", "is"))


def verdict(notes: Notes, ground: Ground, scope: str, which: str = "") -> None:
    """The score; `which` tells one of two pictures from the other."""
    quality = ground.quality(scope)
    picture = f"{which} picture".strip()
    what = f"The {picture}" if scope == GLOBAL else f"The {scope}"
    what += f" of the {picture}" if which and scope != GLOBAL else ""
    if quality is None:
        notes.say("No score was measured.")
        return
    level = level_of(quality).lower()
    notes.used["score" if scope == GLOBAL else f"{scope}.score"] = quality
    if ground.interval is None or scope != GLOBAL:
        rates = "rate" if not which and is_plural(scope) else "rates"
        notes.say(f"{what} {rates} {quality:.2f} of 5 ({level}).")
        return
    low, high = ground.interval
    notes.used |= {"interval.low": low, "interval.high": high}
    notes.say(f"{what} rates {quality:.2f} of 5, likely {low:.1f} to {high:.1f} ({level}).")


def asked(notes: Notes, ground: Ground, seen: Seen, scope: str) -> None:
    """One distortion that the question named, whether it is there or not."""
    if seen.severity == "none" or not seen.applicable:
        why = "not visible" if seen.applicable else "could not be judged in this picture"
        notes.say(f"{_capital(called(seen))}: {why}.")
        notes.used[f"{scope}.{seen.name}.quality"] = seen.quality
        return
    distortion(notes, ground, seen, scope, "")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def distortion(notes: Notes, ground: Ground, seen: Seen, scope: str, lead: str) -> None:
    """One distortion with its severity, its measured facts and its place."""
    sentence = _capital(f"{lead} {called(seen)}".strip()) + f", {seen.severity}"
    where = dict(ground.places.get(seen.name, {}))
    place = worst_place(where) if scope == GLOBAL else EVERYWHERE
    if place != EVERYWHERE:
        sentence += f", worst {_at(place)}"
    note = seen.note.strip().rstrip(".")
    if note and not numbers_grounded(note, seen.facts):
        sentence += f": {note}"
        notes.used |= {f"{scope}.{seen.name}.{fact}": value for fact, value in seen.facts.items()}
    notes.say(sentence + ".")
    notes.used[f"{scope}.{seen.name}.quality"] = seen.quality


def _at(place: str) -> str:
    return f"in the {place}" if place == "centre" else f"at the {place}"


def nothing(notes: Notes, quality: float | None) -> None:
    """No distortion was named; said with its limits where the score tells otherwise."""
    if quality is not None and quality < _UNNAMED:
        notes.say("What lowers the score could not be named as one of the known distortions.")
    else:
        notes.say("No distortion that people would notice was measured.")


def fine(notes: Notes, seen: Sequence[Seen]) -> None:
    """What was looked at and shows nothing."""
    bad = {one.category for one in visible(seen)}
    good = [
        category
        for category in dict.fromkeys(one.category for one in seen if one.applicable)
        if category not in bad
    ]
    words = {
        "Blurs": "sharpness",
        "Color distortions": "colour",
        "Brightness change": "exposure",
        "Sharpness": "edges",
        "Spatial distortions": "structure",
    }
    if good:
        named = list(dict.fromkeys(words.get(category, category.lower()) for category in good))
        notes.say(f"Nothing disturbing was measured in {_joined(named)}.")


def advice(notes: Notes, seen: Seen) -> None:
    text = _ADVICE.get(seen.name) or _FAMILY_ADVICE.get(seen.category)
    if text:
        notes.say(f"{text}.")


def caveats(notes: Notes, ground: Ground) -> None:
    """Warnings of the measurement; their own numbers are evidence."""
    for place, warning in enumerate(ground.warnings[:_MOST_WARNINGS]):
        text = _WARNINGS.get(warning, warning).strip().rstrip(".")
        if not text:
            continue
        notes.say(f"Note: {text}.")
        for index, number in enumerate(re.findall(r"\d+(?:\.\d+)?", text)):
            notes.used[f"warning.{place}.{index}"] = float(number)


def tools(notes: Notes, ground: Ground, scope: str) -> None:
    """The tools' scores for a region, or for the whole picture where the region has none."""
    mine = {key: value for key, value in ground.tools.items() if key.startswith(f"{scope}.")}
    if not mine:
        return
    parts = []
    for key, value in sorted(mine.items())[:4]:
        name = key.rpartition(".")[2]
        parts.append(f"{name} {value:.2f}")
        notes.used[f"tool.{key}"] = value
    notes.say(f"Tool scores (1 to 5): {', '.join(dict.fromkeys(parts))}.")


def _joined(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"

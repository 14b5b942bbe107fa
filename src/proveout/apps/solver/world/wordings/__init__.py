"""The words of tasks: patterns per frame and language, kept as data beside this module.

Files named `<language>.toml` hold wordings that development may see; `<language>_unseen.toml` hold
those that only worlds from `FIRST_UNSEEN_SEED` on draw as well.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

LANGUAGES = ("en", "de", "it", "fr", "es", "sr", "zh", "ru")
FIRST_UNSEEN_SEED = 1000
Wording = Literal["seen", "unseen"]


@dataclass(frozen=True)
class Pattern:
    text: str
    language: str
    wording: Wording


@dataclass(frozen=True)
class Lexicon:
    """All wordings of one seed range."""

    patterns: Mapping[str, tuple[Pattern, ...]]
    """Frame to its patterns in all languages."""
    phrases: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Language to the small phrases that slots are made of (days, months, ties)."""

    def of(self, frame: str, language: str) -> tuple[Pattern, ...]:
        return tuple(p for p in self.patterns.get(frame, ()) if p.language == language)

    def languages(self, frame: str) -> tuple[str, ...]:
        found = {p.language for p in self.patterns.get(frame, ())}
        return tuple(language for language in LANGUAGES if language in found)

    def phrase(self, language: str, key: str) -> tuple[str, ...]:
        return self.phrases.get(language, {}).get(key, ())


def _read(path: Path) -> dict[str, dict[str, list[str]]]:
    with path.open("rb") as file:
        return tomllib.load(file)


@cache
def _lexicon(unseen: bool) -> Lexicon:
    patterns: dict[str, list[Pattern]] = {}
    phrases: dict[str, dict[str, tuple[str, ...]]] = {}
    folder = Path(__file__).parent
    for language in LANGUAGES:
        sources: list[tuple[Wording, Path]] = [("seen", folder / f"{language}.toml")]
        if unseen:
            sources.append(("unseen", folder / f"{language}_unseen.toml"))
        for wording, path in sources:
            for frame, table in _read(path).items() if path.exists() else ():
                if frame == "phrases":
                    phrases[language] = {key: tuple(values) for key, values in table.items()}
                    continue
                patterns.setdefault(frame, []).extend(
                    Pattern(text, language, wording) for text in table["say"]
                )
    return Lexicon({frame: tuple(found) for frame, found in patterns.items()}, phrases)


def lexicon(seed: int) -> Lexicon:
    """The wordings that a world of this seed may use."""
    return _lexicon(seed >= FIRST_UNSEEN_SEED)

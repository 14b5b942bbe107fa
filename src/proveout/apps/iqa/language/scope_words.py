"""The words by which regions are named: `scope.toml`, read once."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from proveout.apps.iqa.language.inflection import inflected
from proveout.apps.iqa.language.lexicon import keyed, lexicon


@dataclass(frozen=True)
class ScopeWords:
    """Everything in `scope.toml` that tells regions from other words, as stems."""

    spatial: frozenset[tuple[str, ...]]
    parts: frozenset[str]
    nameable: frozenset[str]
    """Parts that are places by themselves: the corner."""
    directions: frozenset[str]
    nouns: frozenset[tuple[str, ...]]
    things: frozenset[tuple[str, ...]]
    """Nouns and places."""
    ignored: frozenset[str]
    adjectives: frozenset[str]
    boundaries: frozenset[str]
    determiners: frozenset[str]
    passing: frozenset[str]
    ambiguous: frozenset[str]
    qualifying: frozenset[str]
    compounding: frozenset[str]
    unverbal: frozenset[str]
    idioms: frozenset[tuple[str, ...]]
    speaking: frozenset[str]
    shown: frozenset[str]
    """What one calls the picture as one's own: my drawing."""


@cache
def scope_words() -> ScopeWords:
    data = tomllib.loads(files(__package__).joinpath("scope.toml").read_text(encoding="utf-8"))
    technical = frozenset(lexicon().technical)
    spatial = frozenset(keyed(word) for word in data["spatial"]["words"]) | _toned(data["spatial"])
    adjectives = frozenset(data["adjectives"]["words"])
    nouns = frozenset(keyed(word) for word in data["nouns"]["words"])
    return ScopeWords(
        spatial=spatial,
        parts=frozenset(data["spatial"]["parts"]),
        nameable=frozenset(word for (word, *more) in spatial if not more),
        directions=frozenset(data["spatial"]["directions"]),
        nouns=nouns,
        things=nouns | spatial,
        ignored=frozenset(data["ignored"]["words"]) | technical,
        adjectives=adjectives
        | {form for word in adjectives for form in inflected(word) if form[-2:] in ("er", "st")}
        | {key[0] for key in lexicon().levels if len(key) == 1},
        boundaries=frozenset(data["boundaries"]["words"] + data["boundaries"]["speaking"])
        | {key[0] for key in lexicon().aesthetic if len(key) == 1},
        determiners=frozenset(data["boundaries"]["determiners"]),
        passing=frozenset(data["passing"]["words"]),
        ambiguous=frozenset(data["ambiguous"]["words"]),
        qualifying=frozenset(data["qualifying"]["words"]),
        compounding=frozenset(data["compounding"]["words"]),
        unverbal=frozenset(data["unverbal"]["words"]),
        shown=frozenset(data["shown"]["words"]),
        speaking=frozenset(data["boundaries"]["speaking"]),
        idioms=frozenset(keyed(phrase) for phrase in data["ignored"]["idioms"]),
    )


def _toned(spatial: dict[str, list[str]]) -> frozenset[tuple[str, ...]]:
    """`the darkest parts`, `a flat zone`: places by their tone."""
    tones = [form for word in spatial["tones"] for form in (word, *inflected(word))]
    return frozenset((tone, zone) for tone in tones for zone in spatial["zones"])

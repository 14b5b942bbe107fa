"""Places by any of their names: cities and countries across languages, sites by what is near."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from proveout.apps.solver.resolve.exonyms import CITIES, COUNTRIES
from proveout.apps.solver.resolve.folding import loose, tokens, within_one_edit, word_set

GENERIC = word_set(
    "office offices buro niederlassung standort ufficio sede bureau site oficina sucursal branch "
    "plant factory werk fabrik stabilimento usine fabrica fabrika pogon kancelarija predstavnistvo "
    "zavod ofis filial the our in at near of city hub location warehouse depot lab laboratory "
    "headquarters headquarter hq main central regional country town mesto mestu grad gradu gorod "
    "gorode stadt citta ville ciudad"
)
"""Words that say what a place is, not which."""
_LEADS_TO = word_set("in at near to from")
_SLAVIC_IN = frozenset({"u", "v"})


class SiteLike(Protocol):
    """What a site must tell about itself (a `SiteRule` does)."""

    @property
    def name(self) -> str: ...
    @property
    def city(self) -> str: ...
    @property
    def near(self) -> tuple[str, ...]: ...
    @property
    def country(self) -> str: ...


@lru_cache(maxsize=4096)
def key_words(text: str) -> tuple[str, ...]:
    """The comparable words of a place's name; an underscore parts words."""
    return tuple(loose(token.folded) for token in tokens(text.replace("_", " ")))


@lru_cache(maxsize=1)
def _concepts() -> tuple[dict[tuple[str, ...], str], int]:
    """Every spelling of every known place with its concept, and the length of the longest."""
    table: dict[tuple[str, ...], str] = {}
    for line in CITIES:
        for spelling in line.split():
            table.setdefault(key_words(spelling), f"city:{line.split()[0]}")
    for line in COUNTRIES:
        names, _, _ = line.partition(" | ")
        for spelling in names.split():
            table.setdefault(key_words(spelling), f"country:{names.split()[0]}")
    return table, max(len(key) for key in table)


@lru_cache(maxsize=1)
def _adjectives() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in COUNTRIES:
        names, _, adjectives = line.partition(" | ")
        for word in adjectives.split():
            table.setdefault(key_words(word)[0], f"country:{names.split()[0]}")
    return table


def spot_places(text: str) -> list[tuple[str, int, int]]:
    """Known cities and countries in a text: concept, first and last character."""
    _, longest = _concepts()
    words = tokens(text)
    keys = tuple(loose(token.folded) for token in words)
    plain = text.islower()
    found, place = [], 0
    while place < len(words):
        for size in range(min(longest, len(words) - place), 0, -1):
            concept = _lookup(keys, place, size)
            first = words[place]
            named = not first.raw.islower() or not first.raw.isascii() or size > 1
            # Where nothing has a capital, `in` tells a place from a word.
            led = plain and place > 0 and words[place - 1].folded in _LEADS_TO
            if concept and (named or led):
                found.append((concept, first.start, words[place + size - 1].end))
                place += size - 1
                break
        place += 1
    return found


def concepts(text: str) -> frozenset[str]:
    """The known places that a phrase names, countries also by their adjectives."""
    _, longest = _concepts()
    keys = key_words(text)
    found = set()
    for place in range(len(keys)):
        sizes = range(min(longest, len(keys) - place), 0, -1)
        concept = next(filter(None, (_lookup(keys, place, size) for size in sizes)), "")
        found |= {concept, _stem(keys[place])} - {""}
    return frozenset(found)


def _lookup(keys: tuple[str, ...], place: int, size: int) -> str:
    """The place that words name; after a Slavic `in`, also in the case that it asks for."""
    table, _ = _concepts()
    window = keys[place : place + size]
    if window in table:
        return table[window]
    if size == 1 and (place == 0 or keys[place - 1] in _SLAVIC_IN) and len(window[0]) > 3:
        word = window[0]
        for stem in (word[:-1], word[:-2]):
            for ending in ("", "a", "i", "o"):
                if len(stem) > 2 and word[-1] in "aeiou" and (stem + ending,) in table:
                    return table[(stem + ending,)]
    return ""


def country_words(country: str) -> str:
    """Names and adjectives of a country, to describe what is from there."""
    for line in COUNTRIES:
        names, _, adjectives = line.partition(" | ")
        if key_words(country) in {key_words(name) for name in names.split()}:
            return f"{names} {adjectives}".replace("_", " ")
    return country


def same_place(asked: str, site: SiteLike) -> bool:
    """Whether the company is, at this site, where somebody asks.

    Near a city counts as in it. A country is met by every site in it; a city never by its country.
    """
    wanted = concepts(asked)
    about = " , ".join((site.name, site.city, *site.near, site.country))
    offered = concepts(about)
    cities = {it for it in wanted if it.startswith("city:")}
    if cities:
        return bool(cities & offered)
    if wanted:
        return bool(wanted & offered) and _kind_fits(asked, site.name)
    rest = _telling(asked)
    known = set(_telling(about))
    if not rest:
        return set(key_words(asked)) <= set(key_words(site.name))
    return all(any(_alike(word, other) for other in known) for word in rest)


def locations_of(
    asked: str, locations: Sequence[str], sites: Sequence[SiteLike] = ()
) -> tuple[str, ...]:
    """Registry locations that a phrase means: the same name, or the site that is there."""
    exact = [it for it in locations if key_words(it) == key_words(asked)]
    if exact:
        return tuple(exact)
    direct = [it for it in locations if same_place(asked, _Bare(it))]
    if direct:
        return tuple(direct)
    there = [site for site in sites if same_place(asked, site)]
    return tuple(it for it in locations if any(_same_site(it, site) for site in there))


def _same_site(location: str, site: SiteLike) -> bool:
    """Whether a registry location is a site of the rules, by name or by what both contain."""
    if set(_telling(location)) and set(_telling(location)) <= set(_telling(site.name)):
        return True
    here = concepts(location)
    if any(it.startswith("city:") for it in here):
        return bool(here & concepts(f"{site.name} , {site.city}"))
    countries = {it for it in concepts(f"{site.name} , {site.country}") if it.startswith("country")}
    return bool(here & countries) and _kind_fits(location, site.name)


def _kind_fits(asked: str, name: str) -> bool:
    """Head offices and plants are not taken for one another."""
    sorts = (
        frozenset(key_words("hq headquarters headquarter hauptsitz sede siege central zentrale")),
        frozenset(key_words("plant factory werk fabrik stabilimento usine fabrica fabrika")),
    )
    for sort in sorts:
        if set(key_words(asked)) & sort:
            return bool(set(key_words(name)) & sort)
    return True


class _Bare:
    """A registry location as a site of which nothing more is known."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.city = ""
        self.near: tuple[str, ...] = ()
        self.country = ""


def _telling(text: str) -> list[str]:
    dull = {loose(word) for word in GENERIC}
    return [word for word in key_words(text) if word not in dull]


def _alike(left: str, right: str) -> bool:
    if left == right:
        return True
    return len(left) > 5 and len(right) > 5 and (within_one_edit(left, right))


def _stem(word: str) -> str:
    """The country whose adjective a word is, endings aside."""
    table = _adjectives()
    if word in table:
        return table[word]
    for cut in (1, 2, 3):
        if len(word) - cut >= 4 and word[:-cut] in table:
            return table[word[:-cut]]
    return ""

"""What words look like that name a region, and how its name is written."""

from collections.abc import Sequence

from proveout.apps.iqa.language.predicates import nameless, verbal
from proveout.apps.iqa.language.scene import Scene
from proveout.apps.iqa.language.scope_words import scope_words as _known
from proveout.apps.iqa.language.text import Word, stem


def name_of(tokens: Sequence[Word], first: int, last: int) -> str:
    joined = " ".join(_as_meant(token) for token in tokens[first:last])
    return joined.replace(" - ", "-").replace(" ' ", "' ").removesuffix("'s")


def _as_meant(token: Word) -> str:
    """As written; a misspelt word as what it stands for."""
    return token.text if token.stem == stem(token.text) else token.stem


def directed(tokens: Sequence[Word], first: int, last: int) -> bool:
    words = _known()
    return first < last and all(
        token.stem in words.directions or token.stem in words.adjectives or token.text == "-"
        for token in tokens[first:last]
    )


def plain(tokens: Sequence[Word], first: int, last: int) -> bool:
    """Whether a noun stands last: neither an adjective nor a word that names nothing.

    `the encoded frame` is the picture, `the window frame` is not.
    """
    if first >= last or nameless(tokens[last - 1]):
        return False
    return tokens[last - 1].stem not in _known().adjectives and not verbal(tokens, last - 1)


def is_spatial(stems: Sequence[str]) -> bool:
    words = _known()
    if tuple(stems) in words.spatial:
        return True
    led = [stem for stem in stems[:-1] if stem in words.directions]
    return bool(stems) and stems[-1] in words.parts and len(led) == len(stems) - 1


def hyphen(tokens: Sequence[Word], place: int) -> bool:
    """Whether a hyphen joins two words: `the t-shirt`, not `the sky - is it …`."""
    if tokens[place].text != "-" or not 0 < place < len(tokens) - 1:
        return False
    before, after = tokens[place - 1], tokens[place + 1]
    joined = before.end == tokens[place].start and tokens[place].end == after.start
    return joined and after.text[0].isalpha()


def plural_owner(tokens: Sequence[Word], place: int) -> bool:
    """`the kids' toys`."""
    before, after = tokens[place - 1], tokens[place + 1 : place + 2]
    touching = before.text.endswith("s") and before.end == tokens[place].start
    return touching and bool(after) and after[0].text.isalpha()


def within_term(scene: Scene, place: int, length: int) -> bool:
    """`the edge halos`, `the dark corners`: a thing that is part of a longer term."""
    said = scene.mention_at(place)
    longer = said is not None and said.noun and said.last - said.first > 1
    return bool(longer and said and said.first == place and said.last >= place + length)


def verb_form(token: Word) -> bool:
    """`what lowers the quality`: a verb with the stem of a thing or a place."""
    return token.text in _known().boundaries and token.text != token.stem

"""Words that name a fault of pictures and a thing in them: the staircase, the mosaic, the fog."""

from collections.abc import Sequence

from proveout.apps.iqa.language.lexicon import Mention, lexicon
from proveout.apps.iqa.language.scope_words import scope_words
from proveout.apps.iqa.language.text import Word

_THINGS = frozenset(
    [
        *("staircase", "staircases", "mosaic", "mosaics", "fog", "mist", "lights", "orange"),
        *("oranges", "fringe", "stripes", "halo", "browns", "blinds"),
    ]
)
_LINKS = frozenset(
    [
        *("is", "are", "was", "were", "look", "looks", "appear", "appears", "seem", "seems"),
        *("show", "shows", "suffer", "suffers", "from", "have", "has", "contain", "contains"),
        *("too", "so", "very", "a", "bit", "little", "any", "some", "much", "more", "less", "also"),
        *("really", "slightly", "still", "than", "the", "or"),
    ]
)
"""What may stand between a thing and what is said of it."""
_PLACING = frozenset(["in", "on", "at", "near", "behind", "around", "of", "over", "across"])
_ASKED = frozenset(["is", "are", "does", "do"])


def without_things(tokens: Sequence[Word], mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """The mentions without those that are things of which another mention says something."""
    return tuple(m for m in mentions if not _is_thing(tokens, m, mentions))


def _is_thing(tokens: Sequence[Word], mention: Mention, mentions: Sequence[Mention]) -> bool:
    if mention.last - mention.first != 1 or tokens[mention.first].text not in _THINGS:
        return False
    others = [m for m in mentions if m.concept.category != mention.concept.category]
    place = mention.first - 1
    while place >= 0 and (
        tokens[place].stem in scope_words().adjectives
        or (tokens[place].stem,) in scope_words().nouns
    ):
        place -= 1
    if place < 0 or tokens[place].text not in scope_words().determiners:
        return False
    before = tokens[place - 1].text if place else ""
    earlier = [m for m in others if m.last <= place]
    if before in _PLACING and place > 1:
        return bool(earlier) or tokens[place - 2].stem in lexicon().technical
    if before in _ASKED and any(m.last == place - 1 and not m.noun for m in earlier):
        return True
    said = next((m for m in others if m.first >= mention.last), None)
    if said is None:
        return False
    return all(token.text in _LINKS for token in tokens[mention.last : said.first])

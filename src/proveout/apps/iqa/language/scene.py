"""A text with what is understood of it, and the regions that it names."""

from collections.abc import Sequence
from dataclasses import dataclass

from proveout.apps.iqa.language.gazetteer import ToolMention
from proveout.apps.iqa.language.lexicon import Mention
from proveout.apps.iqa.language.text import Word


@dataclass(frozen=True)
class Phrase:
    """A region as the question names it."""

    name: str
    first: int
    last: int
    known: bool
    """Whether it is a common thing or a place in the frame."""
    spatial: bool = False
    led: bool = False
    """Whether an article or a possessive opens it."""


@dataclass(frozen=True)
class Scene:
    """A text with what is already understood of it."""

    tokens: Sequence[Word]
    mentions: Sequence[Mention]
    tools: Sequence[ToolMention]
    aside: frozenset[int] = frozenset()
    """Places of words that name nothing asked about."""

    def mention_at(self, place: int) -> Mention | None:
        return next((m for m in self.mentions if m.first <= place < m.last), None)

    def taken(self, place: int) -> bool:
        tool = any(tool.first <= place < tool.last for tool in self.tools)
        return tool or self.mention_at(place) is not None

"""A text while its mentions are being found: what one has claimed is hidden from the next."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from proveout.apps.solver.experts.concepts import lexicon
from proveout.apps.solver.experts.language import small_word
from proveout.apps.solver.experts.mention import Kind, Mention
from proveout.apps.solver.resolve.folding import Token, tokens
from proveout.apps.solver.resolve.gazetteer import Gazetteer


class Canvas:
    """One text; `free` tells which of its tokens are still without a meaning."""

    def __init__(self, text: str, gazetteer: Gazetteer) -> None:
        self.text = text
        self.gazetteer = gazetteer
        self.tokens = tokens(text)
        self.free = [True] * len(self.tokens)
        self._plain = text.islower()
        """No capitals anywhere: they cannot tell names from words."""
        self.found: list[Mention] = []

    def take(self, found: Iterable[Mention]) -> None:
        """Keep mentions whose words nobody has claimed yet."""
        for mention in list(found):
            inside = [
                place
                for place, token in enumerate(self.tokens)
                if token.start < mention.end and mention.start < token.end
            ]
            if all(self.free[place] for place in inside):
                self.found.append(mention)
                for place in inside:
                    self.free[place] = False

    def mention(
        self, kind: Kind, first: int, last: int, ids: tuple[str, ...] = (), score: float = 1.0
    ) -> Mention:
        start, end = self.tokens[first].start, self.tokens[last - 1].end
        if self.text[end : end + 1] == ")" and "(" in self.text[start:end]:
            end += 1
        return Mention(kind, self.text[start:end], start, end, ids, score)

    def labels(self, ids: tuple[str, ...]) -> list[tuple[str, str]]:
        return [(it, self.gazetteer.label(it)) for it in ids]

    def windows(self, names: list[tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
        """Where the words of a name stand in the text one after another; longest names first."""
        keys = [token.folded for token in self.tokens]
        places: dict[str, list[int]] = defaultdict(list)
        for place, key in enumerate(keys):
            places[key].append(place)
        parted = sorted(
            ((tuple(t.folded for t in tokens(name)), id_) for id_, name in names),
            key=lambda item: -len(item[0]),
        )
        for wanted, id_ in parted:
            size = len(wanted)
            for first in places.get(wanted[0], ()) if size else ():
                if tuple(keys[first : first + size]) == wanted and all(
                    self.free[first : first + size]
                ):
                    yield first, first + size, id_

    def opens(self, place: int) -> bool:
        """Whether a token begins a sentence, where a capital letter proves nothing."""
        before = self.text[self.tokens[place - 1].end : self.tokens[place].start] if place else "."
        return bool(set(before) & set(".!?\n¿¡。！？"))

    def nameable(self, place: int) -> bool:
        """Whether a single word may be a name: by its capital, or where nothing has one."""
        token = self.tokens[place]
        return not token.raw.islower() or (self._plain and not self.ordinary(token))

    def ordinary(self, token: Token) -> bool:
        """Whether a word asks or joins rather than names."""
        return lexicon().asks(token.folded) or small_word(token.folded)

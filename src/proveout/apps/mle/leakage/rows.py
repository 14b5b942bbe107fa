"""Which rows a value consists of: a source, and the splits that its rows have passed.

Two sets of rows may share a row unless they come from different sources or some split separates
them. Nothing is known about how many rows there are; that is never needed.
"""

from dataclasses import dataclass

SLICE = "slice"
"""Family of the positional splits (`x[:n]`)."""
TRAIN = frozenset({"train"})
TEST = frozenset({"test"})
BELOW = frozenset({"<"})
ABOVE = frozenset({"=", ">"})

Position = tuple[float, int]
"""A number, and whether just before (0) or just after (1) it."""
Interval = tuple[Position, Position]
LOWEST: Position = (float("-inf"), 0)
HIGHEST: Position = (float("inf"), 1)
HEADS = (BELOW, frozenset({"<", "="}))
TAILS = (ABOVE, frozenset({">"}))
EQUAL = frozenset({"="})


@dataclass(frozen=True, slots=True)
class Cut:
    """One decision on rows: of all that the split `key` could give, only those of `side`."""

    key: str
    side: frozenset[str] = frozenset({"in"})
    family: str = ""
    """Decisions of one family look at the same thing, with different bounds."""
    interval: Interval | None = None
    line: int = 0
    folds: bool = False
    """Repeated by cross-validation, so that every row is on every side once."""

    def separates(self, other: "Cut") -> bool:
        if self.key == other.key:
            return not (self.side & other.side)
        if not self.family or self.family != other.family:
            return False
        if self.interval and other.interval:
            return self.interval[1] <= other.interval[0] or other.interval[1] <= self.interval[0]
        if self.side == other.side == EQUAL:
            return True
        # Different symbolic bounds: a head and a tail are taken for disjoint.
        ends = (self.side, other.side)
        return _opposite(*ends) or _opposite(*reversed(ends))

    def flipped(self) -> "Cut":
        """The rows that this decision left out."""
        opposite = {
            TRAIN: TEST,
            TEST: TRAIN,
            BELOW: ABOVE,
            ABOVE: BELOW,
            frozenset({"in"}): frozenset({"out"}),
            frozenset({"out"}): frozenset({"in"}),
        }
        side = opposite.get(self.side) or frozenset({"<", "=", ">"}) - self.side
        interval = _complement(self.interval)
        return Cut(self.key, side, self.family, interval, self.line, self.folds)


def _opposite(head: frozenset[str], tail: frozenset[str]) -> bool:
    return head in HEADS and tail in TAILS


def _complement(interval: Interval | None) -> Interval | None:
    if interval is None:
        return None
    low, high = interval
    if low == LOWEST:
        return (high, HIGHEST)
    return (LOWEST, low) if high == HIGHEST else None


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of one source after some splits."""

    source: str
    cuts: frozenset[Cut] = frozenset()
    unlabelled: bool = False
    """The source is a file of rows to predict, whose targets nobody has."""

    def meets(self, other: "Piece") -> bool:
        if self.source != other.source:
            return False
        windows = self._windows() | other._windows()
        return not any(
            one.separates(two)
            and (one.key, two.key) not in windows
            and (two.key, one.key) not in windows
            for one in self.cuts
            for two in other.cuts
        )

    def _windows(self) -> frozenset[tuple[str, str]]:
        """Bounds of which one is known to lie below the other: both hold for these rows."""
        return frozenset(
            (low.key, high.key)
            for low in self.cuts
            for high in self.cuts
            if low.family == SLICE == high.family and low.side == ABOVE and high.side == BELOW
        )

    def narrowed(self, cuts: frozenset[Cut]) -> "Piece":
        return Piece(self.source, self.cuts | cuts, self.unlabelled)


Rows = frozenset[Piece]
NO_ROWS: Rows = frozenset()


def overlap(one: Rows, two: Rows) -> bool:
    return any(left.meets(right) for left in one for right in two)


def narrow(rows: Rows, cuts: frozenset[Cut]) -> Rows:
    if not cuts:
        return rows
    return frozenset(piece.narrowed(cuts) for piece in rows)


def within(inner: Rows, outer: Rows) -> bool:
    """Each piece of the first is a part of some piece of the second."""
    return all(
        any(one.source == two.source and two.cuts <= one.cuts for two in outer) for one in inner
    )


def unfolded(rows: Rows) -> Rows:
    """What is gathered over all folds: the rows without the decision for one fold."""
    return frozenset(
        Piece(piece.source, frozenset(c for c in piece.cuts if not c.folds), piece.unlabelled)
        for piece in rows
    )


def split_cuts(rows: Rows) -> frozenset[Cut]:
    return frozenset(cut for piece in rows for cut in piece.cuts)


def describe(rows: Rows) -> str:
    """The rows in words: `train.csv: training side of the split at line 9`."""
    return "; ".join(sorted(_describe(piece) for piece in rows)) or "unknown rows"


def _describe(piece: Piece) -> str:
    parts = [_side(cut) for cut in sorted(piece.cuts, key=lambda cut: (cut.line, cut.key))]
    return f"{piece.source}: {', '.join(parts) if parts else 'all rows'}"


def _side(cut: Cut) -> str:
    place = f"the split at line {cut.line}" if cut.line else "a split"
    if cut.side == TRAIN:
        return f"training side of {place}"
    if cut.side == TEST:
        return f"held-out side of {place}"
    if cut.family == SLICE:
        bound = cut.key.partition(":")[2]
        return f"{'rows up to' if cut.side == BELOW else 'rows from'} {bound}"
    return f"part ({'/'.join(sorted(cut.side))}) of {place}"

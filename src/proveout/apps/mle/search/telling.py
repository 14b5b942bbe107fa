"""How results are put into words: whole words, and numbers as people write them."""

LONGEST_SUMMARY = 300
LARGEST_PLAIN, SMALLEST_PLAIN = 1e12, 1e-4
"""Numbers beyond these are told by a power of ten."""


def shortened(text: str, most: int = LONGEST_SUMMARY) -> str:
    """At most so long; cut between words, and it shows."""
    if len(text) <= most:
        return text
    whole = text[:most].rpartition(" ")[0] or text[: most - 1]
    return whole.rstrip(" ,;:.(") + "…"


def number(value: float, digits: int = 6) -> str:
    """So many digits count; what is before the point is written out."""
    rounded = float(f"{value:.{digits}g}")
    plain = SMALLEST_PLAIN <= abs(rounded) < LARGEST_PLAIN
    return f"{rounded:.12g}" if plain else f"{rounded:g}"

"""Folding that keeps every offset: what is matched in folded text can be quoted from the page."""

import re
import unicodedata
from functools import lru_cache

_DASHES = "‐‑‒–—―−﹘﹣-"
_QUOTES = "‘’‚‛′´`"
_DOUBLE_QUOTES = "“”„‟″«»"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_SINGLE = str.maketrans(
    {
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_QUOTES, "'"),
        **dict.fromkeys(_DOUBLE_QUOTES, '"'),
        **dict.fromkeys("\t\r\n\v\f", " "),
    }
)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\(([^)\n]*)\)")
_MARKER = re.compile(r"\n\s*[-*+•](?=\s)")
"""The sign of a list item: it parts words like a semicolon, a hyphen between them would not."""
_EMPHASIS = re.compile(r"[*`]|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)")
NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WORD = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """Lower case, plain dashes, quotes and spaces; as long as the text itself."""
    return "".join(_fold_char(char) for char in text.translate(_SINGLE))


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    if char.isascii():
        return char.lower()
    if char in _INVISIBLE or char.isspace():
        return " "
    plain = unicodedata.normalize("NFKC", char).lower()
    return plain if len(plain) == 1 else char


def plain(text: str) -> str:
    """Folded, with Markdown's signs blanked out; as long as the text itself."""
    without_links = _LINK.sub(
        _blank_target, _MARKER.sub(lambda mark: ";" + " " * (len(mark[0]) - 1), text)
    )
    return fold(_EMPHASIS.sub(lambda sign: " " * len(sign[0]), without_links))


def _blank_target(link: re.Match[str]) -> str:
    label = link.start(1) - link.start(0)
    return " " * label + link[1] + " " * (len(link[0]) - label - len(link[1]))


def squeeze(text: str) -> str:
    """Folded, unmarked and with single spaces: for comparing, not for offsets."""
    return " ".join(plain(text).split())


def same_words(left: str, right: str) -> bool:
    return squeeze(left) == squeeze(right)


def words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(plain(text)))


def mixed_script(text: str) -> bool:
    """Whether a single word mixes alphabets, as look-alike letters do."""
    return any(len(_scripts(word)) > 1 for word in _WORD.findall(text))


def _scripts(word: str) -> set[str]:
    found = set()
    for char in word:
        if char.isalpha() and not char.isascii():
            name = unicodedata.name(char, "")
            found.add(name.split(" ", 1)[0] if name else "")
        elif char.isalpha():
            found.add("LATIN")
    return found & {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"}


def find_folded(needle: str, text: str) -> tuple[int, int] | None:
    """Where `needle` stands in `text` but for case, spaces, dashes, quotes and Markdown signs."""
    parts = squeeze(needle).split()
    if not parts:
        return None
    found = re.search(r"\s+".join(map(re.escape, parts)), plain(text))
    return (found.start(), found.end()) if found else None


def phrase(pattern: str) -> re.Pattern[str]:
    """A pattern for folded text: whole words, any space between them."""
    spaced = re.sub(r" (\??)", lambda gap: "[ -]*" if gap[1] else "[ -]+", pattern)
    return re.compile(rf"(?<![\w-])(?:{spaced})(?!\w)")

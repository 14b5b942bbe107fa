"""Numbers in task texts: `1,000`, `1.000`, `1 000` and `1,5` each for what people mean by it."""

import re
from dataclasses import dataclass
from decimal import Decimal

from proveout.apps.solver.resolve.folding import Token, tokens

_NUMBER = re.compile(
    r"(?<![^\W\u3040-\u9fff])(?<![.,])[+\-−–]?\d+(?:[.,  '’]\d{3})*(?:[.,]\d+)?"
    r"(?!(?!(?:h|hr|hrs|std|ч)\b)[^\W\u3040-\u9fff]|[.,]\d)"
)
"""Digits with their marks; a letter right after them makes them a part of a name, except `6h`."""
_WORDS = {
    "one": 1, "un": 1, "une": 1, "una": 1, "jedan": 1, "jednu": 1, "odin": 1, "uno": 1,
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eins": 1, "eine": 1, "einen": 1, "einer": 1, "ein": 1,
    "zwei": 2, "drei": 3,
    "vier": 4, "funf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "due": 2,
    "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8, "nove": 9, "dieci": 10,
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9, "dix": 10,
    "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9,
    "diez": 10, "dva": 2, "dve": 2, "tri": 3, "cetiri": 4, "pet": 5, "sest": 6, "sedam": 7,
    "osam": 8, "devet": 9, "deset": 10, "chetyre": 4, "pyat": 5, "shest": 6, "sem": 7, "vosem": 8,
    "devyat": 9, "desyat": 10, "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6,
    "七": 7, "八": 8, "九": 9, "十": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "twenty": 20,
    "thirty": 30, "elf": 11, "zwolf": 12, "dreizehn": 13, "vierzehn": 14, "funfzehn": 15,
    "zwanzig": 20, "dreissig": 30, "undici": 11, "dodici": 12, "tredici": 13, "quattordici": 14,
    "quindici": 15, "venti": 20, "trenta": 30, "onze": 11, "douze": 12, "treize": 13,
    "quatorze": 14, "quinze": 15, "vingt": 20, "trente": 30, "doce": 12, "trece": 13,
    "catorce": 14, "quince": 15, "veinte": 20, "treinta": 30, "jedanaest": 11, "dvanaest": 12,
    "trinaest": 13, "cetrnaest": 14, "petnaest": 15, "dvadeset": 20, "trideset": 30,
    "edinicu": 1, "odnu": 1, "jedinicu": 1, "odinnadcat": 11, "dvenadcat": 12,
    "chetyrnadcat": 14, "dvadcat": 20, "tridcat": 30,
}  # fmt: skip


@dataclass(frozen=True)
class Number:
    value: Decimal
    start: int
    end: int
    signed: bool = False
    """Written with a sign, as in `+1`."""
    percent: bool = False


def numbers(text: str) -> tuple[Number, ...]:
    """All numbers in digits, with their places."""
    found = []
    for match in _NUMBER.finditer(text):
        value = read_number(match.group())
        if value is None:
            continue
        after = text[match.end() : match.end() + 12].lstrip().casefold()
        percent = after.startswith(
            ("%", "％", "percent", "per cent", "prozent", "procen", "процен")
        )
        percent = percent or after.startswith(("per cento", "pour cent", "por ciento"))
        signed = match.group()[0] in "+-−–"
        found.append(Number(value, match.start(), match.end(), signed, percent))
    return tuple(found)


def read_number(text: str) -> Decimal | None:
    """The value of digits; a single mark with three digits after it groups thousands."""
    sign = -1 if text[:1] in "-−–" else 1
    plain = re.sub(r"[  '’]", "", text.lstrip("+-−–"))
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", plain):
        plain = plain.replace(".", "").replace(",", "")
    elif re.fullmatch(r"\d{1,3}(?:,\d{3})+\.\d+", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", plain):
        plain = plain.replace(".", "").replace(",", ".")
    else:
        plain = plain.replace(",", ".")
    if not re.fullmatch(r"\d{1,15}(?:\.\d{1,6})?", plain):
        return None
    return sign * Decimal(plain)


def small_number(token: Token) -> int | None:
    """A number word, or digits."""
    if token.folded.isascii() and token.folded.isdigit():
        return int(token.folded)
    return _WORDS.get(token.folded)


def number_words(text: str) -> tuple[tuple[Token, int], ...]:
    """Number words of a text with their values."""
    return tuple((token, _WORDS[token.folded]) for token in tokens(text) if token.folded in _WORDS)

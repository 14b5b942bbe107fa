"""The columns that name rows of an answer, as a description or a sample has them."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

import pandas as pd

from proveout.apps.mle.tables.columns import as_label, is_number, is_whole
from proveout.apps.mle.tables.keys import joint

ABOUT_ANSWERS = re.compile(
    r"submi|\bhand(ed|ing)? (it |them )?in\b|\banswers?\b|\boutput|\bupload|\bheader\b|\breturn\b"
    r"|\b(file|csv|table)\b.{0,60}\bcolumns?\b|\bpredictions?\b.{0,40}\b(file|csv)\b"
    r"|\bab(zu)?gabe|\babzugeben|\bein(zu)?reich|\bspalten\b|\bcolonnes\b|\bsoumettre|\bcolumnas\b",
    re.IGNORECASE | re.DOTALL,
)
MOST_CLASSES = 1_000
PARAGRAPH = re.compile(r"\n[ \t]*\n")
QUOTES = "`\"'*"
BETWEEN = r"\s*(?:[,;|\t]\s*(?:and\s+)?|\s(?:and|und|et|y|e)\s+)(?:the\s+)?"


def key_told(text: str, train: pd.DataFrame, test: pd.DataFrame) -> str:
    """Of a test column that is different in each row: listed with nothing but what is asked for, or
    told to be what there is one answer for. Empty if none is, or more than one."""
    names = [str(it) for it in test.columns if _names_rows(test[it])]
    found = {*_one_each(text, names)}
    found |= {it[0] for it in _listed(text, train, test) if len(it) == 1 and it[0] in names}
    return found.pop() if len(found) == 1 else ""


def copied_as_told(text: str, train: pd.DataFrame, test: pd.DataFrame) -> tuple[str, ...]:
    """Test columns that name a row together, and are listed with nothing but what is asked for."""
    found = {it for it in _listed(text, train, test) if not test[list(it)].duplicated().any()}
    return found.pop() if len(found) == 1 else ()


def copied_in(sample: pd.DataFrame, test: pd.DataFrame, key: str = "") -> tuple[str, ...]:
    """Columns that the sample takes over from the test file, row by row or in another order. If
    nothing else were left to answer, they are none: both files may have zeros for the target."""
    others = [str(it) for it in sample.columns if it != key]
    names = tuple(it for it in others if it in test.columns and sample[it].notna().all())
    if not names or len(names) == len(others) or len(sample) != len(test):
        return ()
    there, here = joint(sample, names), joint(test, names)
    same = there.tolist() == here.tolist() or (here.is_unique and {*there} == {*here})
    return names if same else ()


def targets_told(text: str, train: pd.DataFrame, test: pd.DataFrame) -> tuple[str, ...]:
    """What answers are told to hold: one column by its name or by all of its classes, or several of
    numbers; nothing if that is not told, or told in two ways."""
    classes = {name: _classes(train[name]) for name in _asked(train, test)}
    word, found = _word([*classes, *chain(*classes.values())], "word"), set()
    for _, rest in _listings(text, train, test):
        words = dict.fromkeys(re.findall(word, rest))
        whole = [it for it, few in classes.items() if len(few) > 1 and few <= words.keys()]
        named = tuple(it for it in words if it in classes) or tuple(whole)
        if len(named) == 1 or (named and all(is_number(train[it]) for it in named)):
            found.add(named)
    return found.pop() if len(found) == 1 else ()


def order_told(text: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns of an answer in the order in which the text lists all of them; else as here."""
    word = _word(columns, "word")
    listing = re.compile(f"{_word(columns)}(?:{BETWEEN}{_word(columns)})+")
    for part in PARAGRAPH.split(text):
        for found in listing.finditer(part):
            order = tuple(re.findall(word, found[0]))
            told = ABOUT_ANSWERS.search(part) or found[0].strip(QUOTES) in _lines(part)
            if told and len(order) == len(columns) and {*order} == {*columns}:
                return order
    return columns


def _names_rows(values: pd.Series) -> bool:
    plain = not is_number(values) or is_whole(values)
    return bool(plain and values.is_unique and values.notna().all())


def _asked(train: pd.DataFrame, test: pd.DataFrame) -> list[str]:
    return [str(it) for it in train.columns if it not in test.columns or test[it].isna().all()]


def _classes(values: pd.Series) -> set[str]:
    few = values.nunique() <= MOST_CLASSES
    return {as_label(value) for value in values.dropna().unique()} if few else set()


def _answers(train: pd.DataFrame, test: pd.DataFrame) -> set[str]:
    """Names that columns of an answer may have: the targets, or the classes of one."""
    asked = _asked(train, test)
    return {*asked, *chain(*(_classes(train[it]) for it in asked))}


def _listed(text: str, train: pd.DataFrame, test: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """`order_no` of "the columns `order_no` and `minutes`", or of a line `order_no,minutes`."""
    return (keys for keys, _ in _listings(text, train, test))


def _listings(
    text: str, train: pd.DataFrame, test: pd.DataFrame
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Where columns of an answer are listed: those that the test has, and the text besides."""
    answers = _answers(train, test)
    names = [str(it) for it in test.columns if it not in answers]
    if not names or not answers:
        return
    word = _word([*names, *answers])
    pattern, one = re.compile(f"{word}(?:{BETWEEN}{word})+"), re.compile(_word(names, "name"))
    for part in PARAGRAPH.split(text):
        for found in pattern.finditer(part):
            keys = tuple(dict.fromkeys(it["name"] for it in one.finditer(found[0])))
            rest = re.sub(_word(names), "", found[0])
            told = ABOUT_ANSWERS.search(part) or found[0].strip(QUOTES) in _lines(part)
            if keys and told and re.search(_word(answers), rest):
                yield keys, rest


def _one_each(text: str, names: list[str]) -> Iterator[str]:
    """`order_no` of "submit one prediction for each `order_no`"."""
    if not names:
        return
    pattern = re.compile(rf"\b(?i:for|per|to)\s+(?:(?i:each|every)\s+)?{_word(names, 'name')}")
    for part in PARAGRAPH.split(text):
        if ABOUT_ANSWERS.search(part):
            yield from (found["name"] for found in pattern.finditer(part))


def _word(names: Iterable[str], group: str = "") -> str:
    """One of these, as a word of its own, in quotes or not."""
    spelled = "|".join(re.escape(it) for it in sorted(names, key=len, reverse=True))
    named = f"(?P<{group}>{spelled})" if group else f"(?:{spelled})"
    return rf"[{QUOTES}]*(?<!\w){named}(?!\w)[{QUOTES}]*"


def _lines(part: str) -> list[str]:
    return [line.strip().strip(QUOTES + "|").strip() for line in part.splitlines()]

"""The column that names rows of the answer, where no sample shows it but the description does."""

import re
from collections.abc import Iterable, Iterator

import pandas as pd

from proveout.apps.mle.tables.columns import as_label, is_number, is_whole

ABOUT_ANSWERS = re.compile(
    r"submi|\bhand(ed|ing)? (it |them )?in\b|\banswers?\b|\boutput|\bupload|\bheader\b"
    r"|\b(file|csv|table)\b.{0,60}\bcolumns?\b|\bpredictions?\b.{0,40}\b(file|csv)\b",
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
    asked = [str(it) for it in train.columns if it not in test.columns or test[it].isna().all()]
    found = {*_listed(text, names, _answers(train, asked)), *_one_each(text, names)}
    return found.pop() if len(found) == 1 else ""


def _names_rows(values: pd.Series) -> bool:
    plain = not is_number(values) or is_whole(values)
    return bool(plain and values.is_unique and values.notna().all())


def _answers(train: pd.DataFrame, asked: list[str]) -> set[str]:
    """Names that columns of an answer may have: the targets, or the classes of one."""
    few = (train[it].dropna().unique() for it in asked if train[it].nunique() <= MOST_CLASSES)
    return {*asked, *(as_label(value) for values in few for value in values)}


def _listed(text: str, names: list[str], answers: set[str]) -> Iterator[str]:
    """`order_no` of "the columns `order_no` and `minutes`", or of a line `order_no,minutes`."""
    if not names or not answers:
        return
    key, answer = _word(names, "name"), _word(answers)
    pattern = re.compile(f"{key}(?:{BETWEEN}{answer})+")
    for part in PARAGRAPH.split(text):
        for found in pattern.finditer(part):
            if ABOUT_ANSWERS.search(part) or found[0].strip(QUOTES) in _lines(part):
                yield found["name"]


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

"""Answer options in the layouts people use; labels are kept exactly as given.

Lettered or numbered lists (`A.`, `(b)`, `1)`, `Option C:`) on lines of their own or within a
sentence, letters that are given a meaning (`A = good`, `B if not`), bullets, bare lines after a
question, lists by semicolon or slash, yes/no and true/false. `or` lists need to know what the
words mean; `question.py` finds them.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from proveout.apps.iqa.language.text import cleaned

MOST_OPTIONS = 60
_MOST_MARKS = 240
_LABEL = r"(?P<label>[A-Za-z]|\d{1,2})"
_CLOSED = rf"(?:[\(\[]\s*{_LABEL}\s*[\)\]]|".replace("?P<label>", "?P<boxed>")
_MARK = re.compile(
    rf"(?<![\w.\-])(?P<lead>option\s+|choice\s+)?{_CLOSED}{_LABEL}"
    r"(?P<sign>\)|[.:](?!\d)(?=\s*\S)|\s+-(?=\s)))\s*",
    re.IGNORECASE,
)
_ASSIGNMENT = re.compile(
    r"(?<![\w.\-])(?P<label>[A-Z]|\d)\s*(?P<sign>=|\b(?:if|for|when|means|stands for)\b)\s*"
)
_LETTER = re.compile(r"(?<![\w.\-])(?P<label>[A-Z])(?P<sign> )(?=[A-Za-z]{2})")
_BULLET = re.compile(r"^\s*[-*•·‣]\s+(?P<text>\S.*)$")
_YES_NO = re.compile(
    r"\b(?P<yes>yes|y|true|right|agree)\s*(?:/|\bor\b|,|\|)\s*(?P<no>no|n|false|wrong|disagree)\b"
    r"[\s.?!]*$",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?i)(?:please\s+)?(?:choose|select|pick|which|what|identify|classify|name)\b"
)
_TRIM = " \t\n,;/|"


@dataclass(frozen=True)
class Option:
    """One answer that may be given."""

    label: str
    """`A`, `b`, `3` as written; empty where the option had no label."""
    text: str

    @property
    def answer(self) -> str:
        """What is given back when this option is right."""
        return self.label or self.text


@dataclass(frozen=True)
class Choices:
    """A question without its options, and the options."""

    stem: str
    options: tuple[Option, ...] = ()


def find(query: str, given: Sequence[str] | None = None) -> Choices:
    """Options handed in beside the question win; else those within it."""
    text = cleaned(query)
    if given:
        options = tuple(_given(choice) for choice in list(given)[:MOST_OPTIONS] if choice.strip())
        return Choices(text, options)
    for reader in (_own_lines, _bullets, _in_line, _assigned, _bare_lines, _yes_no, _separated):
        found = reader(text)
        if len(found.options) >= 2:
            return Choices(found.stem.strip(), found.options[:MOST_OPTIONS])
    return Choices(text)


def joined(query: str, given: Sequence[str]) -> str:
    """A question with options handed in beside it, written so that they are found again."""
    options = [_given(choice) for choice in given if choice.strip()]
    if not options:
        return query
    if all(option.label for option in options):
        lines = [f"{option.label}. {_on_one_line(option.text)}" for option in options]
    else:
        lines = [f"- {_on_one_line(choice)}" for choice in given if choice.strip()]
    return "\n".join((query, *lines))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _given(choice: str) -> Option:
    text = cleaned(choice)
    mark = _MARK.match(text)
    if mark and mark.end() < len(text):
        return Option(_label(mark), text[mark.end() :].strip(_TRIM))
    return Option("", text)


def _label(mark: re.Match[str]) -> str:
    return mark.groupdict().get("boxed") or mark["label"]


def _style(mark: re.Match[str]) -> tuple[str, str, bool]:
    """Marks of one list look alike."""
    label = _label(mark)
    kind = "digit" if label.isdigit() else "upper" if label.isupper() else "lower"
    return kind, "boxed" if mark["boxed"] else mark["sign"].strip(), bool(mark["lead"])


def _own_lines(text: str) -> Choices:
    lines = text.split("\n")
    marks = [_MARK.match(line.lstrip()) for line in lines]
    styles = [_style(mark) for mark in marks if mark]
    style = max(styles, key=styles.count, default=None)
    options, rest = [], []
    for line, mark in zip(lines, marks, strict=True):
        body = line.lstrip()[mark.end() :].strip(_TRIM) if mark else ""
        if mark and body and _style(mark) == style and not _several(body, style):
            options.append(Option(_label(mark), body))
        else:
            rest.append(line)
    return Choices("\n".join(rest), tuple(options))


def _several(body: str, style: tuple[str, str, bool]) -> bool:
    """Whether more options of the same kind follow on the same line."""
    return any(_style(mark) == style for mark in _MARK.finditer(body))


def _in_line(text: str) -> Choices:
    """The longest run of labels that count up from A, a or 1 in one style."""
    return _cut(text, _run(list(islice(_MARK.finditer(text), _MOST_MARKS)), _style))


def _assigned(text: str) -> Choices:
    """`A = good, B = bad`, `A if sharp, B if not`; three or more also as `A good B fair C bad`."""
    for pattern, least in ((_ASSIGNMENT, 2), (_LETTER, 3)):
        run = _run(list(islice(pattern.finditer(text), _MOST_MARKS)), lambda mark: mark["sign"])
        if len(run) >= least:
            return _cut(text, run)
    return Choices(text)


def _run(
    marks: Sequence[re.Match[str]], style: Callable[[re.Match[str]], object]
) -> list[re.Match[str]]:
    best: list[re.Match[str]] = []
    for start, mark in enumerate(marks):
        if _label(mark) not in {"A", "a", "1", "0", "i"}:
            continue
        run = [mark]
        for other in marks[start + 1 :]:
            if style(other) == style(mark) and _follows(_label(run[-1]), _label(other)):
                run.append(other)
        if len(run) > len(best):
            best = run
    return best


def _cut(text: str, marks: Sequence[re.Match[str]]) -> Choices:
    """Each option reaches to the next mark, the last one to the end of its sentence or line."""
    if len(marks) < 2:
        return Choices(text)
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    options, rest = [], text[: marks[0].start()]
    for place, (mark, end) in enumerate(zip(marks, ends, strict=True)):
        body = text[mark.end() : end]
        if place == len(marks) - 1:
            body, *after = re.split(r"\n|(?<=\w\w)[.?!]\s+(?=[A-Z])", body, maxsplit=1)
            rest = "\n".join([rest, *after])
        body = re.sub(r"[\s,;]+(?:or|and)?\s*$", "", body, flags=re.IGNORECASE)
        options.append(Option(_label(mark), body.strip(_TRIM + "?.")))
    if not all(option.text for option in options):
        return Choices(text)
    return Choices(rest, tuple(options))


def _follows(one: str, other: str) -> bool:
    if one.isdigit() and other.isdigit():
        return int(other) == int(one) + 1
    return len(one) == len(other) == 1 and ord(other) == ord(one) + 1


def _bullets(text: str) -> Choices:
    lines = text.split("\n")
    marks = [_BULLET.match(line) for line in lines]
    rest = "\n".join(line for line, mark in zip(lines, marks, strict=True) if not mark)
    return Choices(rest, tuple(Option("", mark["text"].strip(_TRIM)) for mark in marks if mark))


def _bare_lines(text: str) -> Choices:
    """Short lines after one that asks."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    asking = [place for place, line in enumerate(lines) if line.endswith(("?", ":"))]
    if not asking and lines and _ASKING.match(lines[0]):
        asking = [0]
    if not asking:
        return Choices(text)
    stem, rest = lines[: asking[-1] + 1], lines[asking[-1] + 1 :]
    if not 2 <= len(rest) <= MOST_OPTIONS or any(len(line.split()) > 12 for line in rest):
        return Choices(text)
    return Choices("\n".join(stem), tuple(Option("", line.strip(_TRIM + ".")) for line in rest))


def _yes_no(text: str) -> Choices:
    found = _YES_NO.search(text)
    if not found or (found["yes"].lower() == "y") != (found["no"].lower() == "n"):
        return _leading_truth(text)
    return Choices(text[: found.start()], (Option("", found["yes"]), Option("", found["no"])))


def _leading_truth(text: str) -> Choices:
    found = re.match(r"\s*(true|yes)\s+or\s+(false|no)\s*[:,?\-]\s*", text, re.IGNORECASE)
    if not found:
        return Choices(text)
    return Choices(text[found.end() :], (Option("", found[1]), Option("", found[2])))


def _separated(text: str) -> Choices:
    """`this; that; another` after a colon or question mark, and `this / that` anywhere."""
    head = re.match(r"(?s)(?P<stem>.*[?:])\s*(?P<list>[^?:\n]*;[^?:\n]*)\??\s*$", text)
    if head:
        parts = [part.strip(_TRIM + ".") for part in head["list"].split(";")]
        if len(parts) >= 2 and all(0 < len(part.split()) <= 8 for part in parts):
            return Choices(head["stem"], tuple(Option("", part) for part in parts))
    piece = r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}?"
    last = r"[^\W\d_]+(?:[ -][^\W\d_]+)?"
    found = re.search(
        rf"(?:^|[:,?.(]\s*)(({piece})(?:\s*/\s*{piece})*\s*/\s*{last})(?=\s*(?:[?.!,)-]|$))", text
    )
    if not found:
        return Choices(text)
    parts = [part.strip() for part in found[1].split("/")]
    rest = text[: found.start(1)] + " " + text[found.end(1) :]
    return Choices(rest, tuple(Option("", part) for part in parts))

"""Blocks of code: found in replies, found in scripts, put in the place of others."""

import re
import textwrap
from collections.abc import Iterator

from proveout.apps.mle.scripts.reading import is_python
from proveout.apps.mle.scripts.solution import SolutionScript
from proveout.apps.mle.syntax import outline

FENCE = re.compile(r"(?P<margin>[ \t]*)(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$")
AFTER_WORDS = re.compile(r"^(?P<words>[^`\n]+)(?P<fence>`{3,})(?P<info>\w*)$", re.MULTILINE)
"""A fence at the end of a sentence, as models put it now and then."""
INLINE = re.compile(r"^[ \t]*`{3}(?:python |py )?(?P<code>[^`\n]+)`{3}[ \t]*$", re.MULTILINE)
NOT_FOUND = (
    "The previously extracted code block was not found in the solution. "
    "Please extract the code block exactly as it appears in the script."
)
EXTRACTOR_NOTES = ("", NOT_FOUND, NOT_FOUND)
"""With which words the extractor is asked: as often as these, until its block is in the script."""
MOST_SHARED = 0.6
"""Share of the lines around a block above which an answer counts as the whole script."""


def extract_code_block(response: str) -> str:
    """The longest fenced block of a reply, without its fence; the whole reply if it has none."""
    text = response.replace("\r\n", "\n")
    found = list(_fenced(text)) or [match["code"] for match in INLINE.finditer(text)]
    found = found or list(_fenced(AFTER_WORDS.sub(r"\g<words>\n\g<fence>\g<info>", text)))
    if not found:
        return text.strip()
    # Indentation of the first line is part of the block.
    return max(found, key=len).strip("\n").rstrip()


def _fenced(text: str) -> Iterator[str]:
    """Blocks between fences; one that is never closed is none. A fence closes one that is no longer
    than itself, so code may hold shorter ones. Its margin, in a list say, is not the code's."""
    inside: list[str] = []
    opening = margin = ""
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if not opening:
            opening, margin = (mark["fence"], mark["margin"]) if mark else ("", "")
            inside = []
        elif mark and mark["fence"].startswith(opening) and not mark["info"].strip():
            yield "\n".join(inside)
            opening = ""
        else:
            inside.append(line.removeprefix(margin))


def script_in(response: str) -> str | None:
    """The program that a reply holds. Prose is none, and neither is broken code."""
    code = extract_code_block(response)
    return code if is_python(code) else None


def fragment_in(response: str) -> str | None:
    """The part of a program that a reply holds; it need not stand alone, but is no prose."""
    code = extract_code_block(response)
    if not code.strip():
        return None
    bare = code == response.replace("\r\n", "\n").strip()
    return None if bare and not is_python(textwrap.dedent(code)) else code


def validate_code_block(code_block: str, solution: SolutionScript) -> bool:
    """Whether the block stands in the script, letter by letter. Nothing stands nowhere."""
    return bool(code_block.strip()) and code_block in solution.content


def matched_block(code_block: str, source: str) -> str | None:
    """The block as it stands in `source`, whatever white space lines end with; None if nowhere."""
    if not code_block.strip():
        return None
    if code_block in source:
        return code_block
    wanted = "\n".join(line.rstrip() for line in code_block.split("\n")).strip("\n")
    text, places = _without_trailing_space(source)
    start = text.find(wanted)
    if start < 0:
        return None
    return source[places[start] : places[start + len(wanted) - 1] + 1]


def _without_trailing_space(source: str) -> tuple[str, list[int]]:
    """The text with bare line ends, and where each of its letters stands in the source."""
    kept: list[str] = []
    places: list[int] = []
    position = 0
    for line in source.split("\n"):
        bare = line.rstrip()
        kept.append(bare)
        places.extend(range(position, position + len(bare)))
        places.append(position + len(line))
        position += len(line) + 1
    return "\n".join(kept), places


def replaced(solution: SolutionScript, old: str, new: str) -> SolutionScript:
    """The script with one block replaced, if what comes out is a program.

    An answer that repeats most of the script is taken for the script: put in the place of a block
    it would double the program. A block that was written without the indentation of its place gets
    it back.

    Raises:
        ValueError: if the block is not there, or the result would not be Python.
    """
    if is_whole_script(new, solution.content, old):
        return solution.model_copy(update={"content": new})
    for version in (new, _indented_as(new, old)):
        made = solution.replace_block(old, version)
        if outline(made.content).parses or not outline(solution.content).parses:
            return made
    message = "the script would not be Python with the new block"
    raise ValueError(message)


def is_whole_script(answer: str, script: str, block: str) -> bool:
    """Whether an answer repeats most of what stands around the block that was asked for."""
    if not block or block not in script:
        return False
    around = _lines(script.replace(block, "", 1))
    shared = around & _lines(answer)
    return len(around) > 1 and len(shared) > MOST_SHARED * len(around) and is_python(answer)


def _lines(text: str) -> set[str]:
    """Lines that say something, whatever their indentation."""
    return {line.strip() for line in text.splitlines() if len(line.strip()) > 3}


def _indented_as(new: str, old: str) -> str:
    margin = re.match(r"[ \t]*", old.lstrip("\n"))
    return textwrap.indent(textwrap.dedent(new), margin[0] if margin else "")

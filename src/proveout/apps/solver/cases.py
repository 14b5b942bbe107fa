"""A task as it went, on disk: what the API said, what was asked, what was answered, how it scored.

A case is a folder with two files: `exchanges.jsonl`, from which the task can be solved again
without the API, and `case.json`. Both hold data of the company: they are their owner's to read.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import JsonValue, ValidationError

from proveout.apps.solver.desk import EXCHANGES
from proveout.kernel.canonical import value_id
from proveout.kernel.errors import UsageError
from proveout.kernel.types import Frozen

ABOUT = "case.json"
_UNSAFE = re.compile(r"[^\w.-]+", re.ASCII)


class Case(Frozen):
    """What is known of one recorded task."""

    name: str
    text: str
    profile: str = "wiki"
    family: str = ""
    score: float | None = None
    """As graded; None where grading is hidden."""
    response: dict[str, JsonValue] = {}
    writes: tuple[JsonValue, ...] = ()
    """Route and body of each change."""
    digest: str = ""
    codes: tuple[str, ...] = ()
    """What was wrong, by the grader's and by the validator's word; nothing of the task itself."""

    @property
    def passed(self) -> bool:
        return self.score == 1.0

    @property
    def failed(self) -> bool:
        return self.score is not None and not self.passed


def sent_by(answer: Mapping[str, Any]) -> tuple[dict[str, JsonValue], list[JsonValue]]:
    """Response and changes of a finished run's answer."""
    decision: Mapping[str, Any] = answer.get("decision") or {}
    writes: list[JsonValue] = [
        [write["route"], write["body"]] for write in decision.get("writes") or ()
    ]
    return answer.get("response") or {}, writes


def digest_of(answer: Mapping[str, Any]) -> str:
    """Of everything that was sent, or would have been."""
    response, writes = sent_by(answer)
    return value_id({"response": response, "writes": writes})


def folder_name(spec: str) -> str:
    return _UNSAFE.sub("-", spec).strip(".-") or "task"


def write_case(folder: Path, case: Case) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(case.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
    descriptor = os.open(folder / ABOUT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def read_cases(root: Path) -> dict[Path, Case]:
    """All cases in a folder and the folders below it, in the order of their paths."""
    found = {path.parent: _read(path) for path in sorted(root.rglob(ABOUT))}
    return {folder: case for folder, case in found.items() if (folder / EXCHANGES).exists()}


def amended(root: Path, about: Mapping[str, Mapping[str, Any]]) -> None:
    """Write into cases what only became known later, by name."""
    for folder, case in read_cases(root).items():
        if case.name in about:
            write_case(folder, case.model_copy(update=dict(about[case.name])))


def _read(path: Path) -> Case:
    try:
        return Case.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        message = f"{path} is no recorded case"
        raise UsageError(message, hint="record with: proveout solver run --record DIR") from error


def named(cases: Mapping[Path, Case]) -> Iterator[tuple[str, Path, Case]]:
    """Cases with a name that tells those of several benchmarks apart."""
    for folder, case in cases.items():
        yield f"{folder.parent.name}/{folder.name}", folder, case

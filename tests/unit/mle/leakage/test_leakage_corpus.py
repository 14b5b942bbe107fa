"""Scripts and notebooks with known leaks, and their twins without: what is found, what is proved.

Half of it was held back: written, in other styles, before anything of it had been run. A last part
(`late`) was written after the last change to the rules, and labelled before it was run.
"""

import json
from pathlib import Path

import pytest

from proveout.apps.mle.leakage import Report, examine, repair
from proveout.apps.mle.leakage.notebooks import read_notebook

HERE = Path(__file__).parent / "corpus"
INDEX = json.loads((HERE / "index.json").read_text(encoding="utf-8"))
HALVES = ("development", "held_back", "late")
NAMES = [entry["file"] for entry in INDEX]
LEAST_PRECISION = 0.97
LEAST_RECALL = 0.92


def text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def report(name: str) -> Report:
    return examine(text(name), filename=name.removesuffix(".txt"))


def test_the_corpus_is_large_and_balanced() -> None:
    assert {entry["file"] for entry in INDEX} | {"index.json"} == {
        path.name for path in HERE.iterdir()
    }
    assert len(INDEX) >= 150
    for half in HALVES:
        files = [entry for entry in INDEX if entry["half"] == half]
        leaking = sum(bool(entry["codes"]) for entry in files)
        assert 0.4 <= leaking / len(files) <= 0.6


@pytest.mark.parametrize("half", HALVES)
def test_what_is_found_is_there_and_what_is_there_is_found(half: str) -> None:
    hits = false = missed = 0
    wrong: list[str] = []
    for entry in INDEX:
        if entry["half"] != half:
            continue
        found, wanted = set(report(entry["file"]).codes), set(entry["codes"])
        hits += len(found & wanted)
        false += len(found - wanted)
        missed += len(wanted - found)
        if found != wanted:
            wrong.append(f"{entry['file']}: wanted {sorted(wanted)}, found {sorted(found)}")
    assert hits / (hits + false) >= LEAST_PRECISION, wrong
    assert hits / (hits + missed) >= LEAST_RECALL, wrong


@pytest.mark.parametrize("name", NAMES)
def test_every_finding_proves_itself(name: str) -> None:
    """The block stands in the source, the path is one of its lines, the rows are named."""
    source = text(name)
    notebook = read_notebook(source) if ".ipynb" in name else None
    program = notebook.source if notebook else source
    count = program.count("\n")
    for leak in report(name).findings:
        assert leak.block.strip()
        assert leak.block in program
        assert leak.rows
        assert leak.path
        assert leak.message.startswith(leak.message.strip())
        if notebook is None:
            lines = program.split("\n")[leak.line - 1 : leak.end_line]
            assert leak.block == "\n".join(lines)
            assert all(1 <= step.line <= count for step in leak.path)
        else:
            assert leak.cell is not None
            assert all(step.cell is not None for step in leak.path)


@pytest.mark.parametrize("name", [entry["file"] for entry in INDEX if entry["codes"]])
def test_a_repair_removes_leaks_and_adds_none(name: str) -> None:
    before = report(name)
    repaired = repair(text(name), before)
    if repaired is None:
        return
    after = examine(repaired)
    assert not after.unreadable
    assert len(after.leaks) < len(before.leaks)
    assert after.codes <= before.codes


def test_clean_scripts_are_left_alone() -> None:
    for entry in INDEX:
        if not entry["codes"]:
            assert repair(text(entry["file"]), report(entry["file"])) is None


def test_the_common_leaks_can_be_repaired() -> None:
    leaking = [entry["file"] for entry in INDEX if entry["codes"]]
    repaired = [name for name in leaking if repair(text(name), report(name)) is not None]
    assert len(repaired) >= 80

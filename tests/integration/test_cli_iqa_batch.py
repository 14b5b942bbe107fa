"""`proveout iqa batch`: a JSON line in, a JSON line out, whatever happens in between."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.command import Desk, Ended
from tests.iqa_pictures import photo

SAMPLES: list[dict[str, Any]] = [
    {"sample_id": "good", "image_path": "good.png"},
    {"sample_id": "noisy", "image_path": "noisy.png", "query": "Is it noisy?"},
    {"sample_id": "against", "image_path": "noisy.png", "reference_path": "good.png"},
    {
        "sample_id": "options",
        "image_path": "noisy.png",
        "query": "Which distortion is worst?",
        "choices": ["A. banding", "B. noise"],
        "note": "kept \u2028 as it is",
    },
]


@pytest.fixture
def folder(desk: Desk) -> Path:
    photo(desk.folder / "good.png")
    photo(desk.folder / "noisy.png", noise=25)
    write(desk.folder / "in.jsonl", *SAMPLES)
    return desk.folder


def write(path: Path, *lines: dict[str, Any] | str) -> None:
    texts = (
        line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines
    )
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def batch(desk: Desk, *more: str, out: str = "out.jsonl") -> Ended:
    return desk.run("iqa", "batch", "in.jsonl", "--out", out, *more)


def test_every_line_is_answered_in_order(desk: Desk, folder: Path) -> None:
    done = batch(desk)
    assert done.code == 0
    assert "4 answered, 0 failed" in done.err
    lines = read(folder / "out.jsonl")
    assert [line["sample_id"] for line in lines] == ["good", "noisy", "against", "options"]
    assert {line["final_status"] for line in lines} == {"success"}
    assert lines[1]["final_answer"] == "Yes"
    assert lines[2]["plan"]["reference_mode"] == "Full-Reference"
    assert (lines[3]["final_answer"], lines[3]["note"]) == ("B", SAMPLES[3]["note"])


def test_a_torn_line_is_assessed_again_and_whole_ones_are_not(desk: Desk, folder: Path) -> None:
    batch(desk)
    out = folder / "out.jsonl"
    whole = out.read_bytes()
    first = whole.index(b"\n") + 1
    out.write_bytes(whole[: first + 40])
    done = batch(desk, "--resume")
    assert "4 samples, 1 done before" in done.err
    assert out.read_bytes() == whole
    again = batch(desk, "--resume")
    assert "4 done before" in again.err
    assert out.read_bytes() == whole


def test_two_workers_write_the_same_lines(desk: Desk, folder: Path) -> None:
    batch(desk)
    assert batch(desk, "--workers", "2", out="two.jsonl").code == 0
    one, two = read(folder / "out.jsonl"), read(folder / "two.jsonl")
    assert sorted(two, key=lambda line: str(line["sample_id"])) == sorted(
        one, key=lambda line: str(line["sample_id"])
    )


def test_bad_lines_and_bad_files_are_reported_and_the_rest_goes_on(
    desk: Desk, folder: Path
) -> None:
    (folder / "broken.png").write_bytes(b"GIF89a")
    write(
        folder / "in.jsonl",
        "not json",
        {"query": "no picture"},
        "",
        "[1]",
        {"image_path": "broken.png", "sample_id": "broken"},
        {"image_path": "good.png", "query": 7, "sample_id": "question"},
        {"image_path": "good.png", "sample_id": "fine"},
    )
    done = batch(desk)
    assert done.code == 1
    assert "1 answered, 5 failed" in done.err
    assert "line 1 of in.jsonl is not JSON" in done.err
    lines = {line["sample_id"]: line for line in read(folder / "out.jsonl")}
    assert {name for name, line in lines.items() if line["final_status"] == "success"} == {"fine"}
    assert "image_path" in lines["2"]["error_details"]
    assert "broken.png" in lines["broken"]["error_details"]
    assert "query" in lines["question"]["error_details"]


def test_what_failed_is_tried_again_and_leaves_no_run_behind(desk: Desk, folder: Path) -> None:
    write(
        folder / "in.jsonl",
        {"image_path": "late.png", "sample_id": "late"},
        {"image_path": "good.png", "sample_id": "good"},
        {"image_path": "never.png", "sample_id": "never"},
    )
    assert batch(desk).code == 1
    out = folder / "out.jsonl"
    first = {line["sample_id"]: line for line in read(out)}
    assert {name: line["final_status"] for name, line in first.items()} == {
        "late": "error",
        "good": "success",
        "never": "error",
    }
    assert [run["state"] for run in desk.run("runs", "list", "--json").data] == ["accepted"]
    photo(folder / "late.png", noise=25)
    again = batch(desk, "--resume")
    assert "3 samples, 1 done before" in again.err
    assert "1 answered, 1 failed" in again.err
    lines = read(out)
    assert sorted(str(line["sample_id"]) for line in lines) == ["good", "late", "never"]
    after = {line["sample_id"]: line for line in lines}
    assert after["late"]["final_status"] == "success"
    assert after["good"] == first["good"]
    assert not [path for path in folder.iterdir() if path.name.startswith(".out")]


def test_lines_may_hold_a_second_picture_or_a_region(desk: Desk, folder: Path) -> None:
    write(
        folder / "in.jsonl",
        {"image_path": "good.png", "compare_path": "noisy.png", "query": "Which is noisier?"},
        {"image_path": "noisy.png", "box": [10, 10, 90, 90], "query": "Is it noisy?"},
        {"image_path": "noisy.png", "box": [10, 10, 900, 90]},
    )
    assert batch(desk).code == 1
    pair, region, outside = read(folder / "out.jsonl")
    assert pair["final_answer"] == "the second"
    assert pair["compared_with"]["image"] == "noisy.png"
    assert (region["final_answer"], region["plan"]["query_scope"]) == ("Yes", ["marked area"])
    assert "outside of the picture" in outside["error_details"]


def test_a_folder_is_as_good_as_lines(desk: Desk, folder: Path) -> None:
    shots = folder / "shots"
    shots.mkdir()
    photo(shots / "a.png")
    (shots / "b.jpg").write_bytes(b"no picture")
    assert desk.run("iqa", "batch", str(shots), "--out", "answers.jsonl").code == 1
    lines = (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    told = {line["sample_id"]: line["final_status"] for line in map(json.loads, lines)}
    assert told == {"a.png": "success", "b.jpg": "error"}
    again = desk.run("iqa", "batch", str(shots), "--out", "answers.jsonl", "--resume")
    assert "2 samples, 1 done before" in again.err


@pytest.mark.usefixtures("folder")
def test_only_so_many_samples_are_taken(desk: Desk) -> None:
    assert "1 answered" in batch(desk, "--max-samples", "1").err
    assert batch(desk, "--max-samples", "0", out="none.jsonl").code == 2


@pytest.mark.parametrize("out", ["out.jsonl", ".", "nowhere/out.jsonl"])
def test_an_output_that_cannot_be_is_told_before_the_work(
    desk: Desk, folder: Path, out: str
) -> None:
    (folder / "out.jsonl").write_text("mine\n", encoding="utf-8")
    done = batch(desk, out=out)
    assert done.code == 2
    assert "Traceback" not in done.err
    assert (folder / "out.jsonl").read_text(encoding="utf-8") == "mine\n"


def test_an_output_of_something_else_is_left_alone(desk: Desk, folder: Path) -> None:
    (folder / "out.jsonl").write_text("mine\nand torn", encoding="utf-8")
    done = batch(desk, "--resume")
    assert done.code == 2
    assert "was not written by this command" in done.err
    assert (folder / "out.jsonl").read_text(encoding="utf-8") == "mine\nand torn"


def test_an_input_that_cannot_be_read_is_a_sentence(desk: Desk) -> None:
    done = batch(desk)
    assert done.code == 2
    assert "in.jsonl cannot be read" in done.err

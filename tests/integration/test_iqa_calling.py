"""The Python call: any kind of picture, the same numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import proveout
from proveout.apps.iqa import assess
from proveout.kernel.errors import UsageError
from tests.iqa_pictures import photo, pixels_of


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return photo(tmp_path_factory.mktemp("calling") / "noisy.png", noise=25)


@pytest.fixture(scope="module")
def good(noisy: Path) -> Path:
    return photo(noisy.with_name("good.png"))


def rgb(path: Path) -> Any:
    return np.ascontiguousarray(pixels_of(path.read_bytes())[..., ::-1])


def test_every_kind_of_source_gives_the_same_answer(noisy: Path) -> None:
    expected = assess(noisy)
    assert expected["accepted"]
    for source in (str(noisy), noisy.read_bytes(), rgb(noisy), Image.open(noisy)):
        assert assess(source) == expected


def test_questions_pairs_and_regions(noisy: Path, good: Path) -> None:
    assert assess(noisy, "Is it noisy?")["final_answer"] == "Yes"
    options = ["A. banding", "B. noise"]
    assert assess(noisy, "What is worst?", choices=options)["final_answer"] == "B"
    pair = assess(noisy, compare=rgb(good))
    assert pair["final_answer"] == "the second"
    assert pair == assess(noisy, compare=rgb(good)), "no trace of where it lay meanwhile"
    assert assess(noisy, reference=good)["plan"]["reference_mode"] == "Full-Reference"
    half = rgb(good)
    half[:, :100] = rgb(noisy)[:, :100]
    assert assess(half, "Is it noisy?", box=(102, 4, 90, 90))["final_answer"] == "No"
    mask = np.zeros(half.shape[:2], np.uint8)
    mask[:, :98] = 255
    assert assess(half, "Is it noisy?", mask=mask)["final_answer"] == "Yes"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"box": "1,2"}, "left, top, width and height"),
        ({"box": (0, 0, 999, 9)}, "outside"),
        ({"compare": b"no picture"}, "compare"),
        ({"query": "x" * 20_001}, "query"),
    ],
)
def test_mistakes_are_sentences(noisy: Path, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        assess(noisy, **fields)


def test_the_same_with_a_journal(
    noisy: Path, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROVEOUT_HOME", str(tmp_path))
    result = proveout.run("iqa", image=str(noisy), compare=str(good), query="Which is noisier?")
    assert isinstance(result.answer, dict)
    assert result.answer["final_answer"] == "the first"
    saved = result.save(tmp_path / "pair.html").read_text(encoding="utf-8")
    assert "Second picture: good.png" in saved

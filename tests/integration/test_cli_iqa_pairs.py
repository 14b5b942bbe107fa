"""`proveout iqa assess` with a second picture, or with a region that the user drew."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from proveout.apps.iqa.language.numbers import numbers_grounded
from tests.integration.command import Desk
from tests.integration.iqa_kit import ANSWER, said
from tests.iqa_pictures import SIZE, photo, pixels_of

PAIR = ("iqa", "assess", "soft.png", "--compare", "good.png")
WIDTH, HEIGHT = SIZE


@pytest.fixture(autouse=True)
def pictures(desk: Desk) -> None:
    for name, how in {"good": {}, "noisy": {"noise": 25.0}, "soft": {"blur": 2.5}}.items():
        photo(desk.folder / f"{name}.png", **how)
    good, noisy = (pixels_of((desk.folder / f"{n}.png").read_bytes()) for n in ("good", "noisy"))
    good[:, : WIDTH // 2] = noisy[:, : WIDTH // 2]
    save(desk.folder / "half.png", good)
    save(desk.folder / "left.png", mask(np.s_[:, : WIDTH // 2]))
    save(desk.folder / "right01.png", mask(np.s_[:, WIDTH // 2 :]) // 255)
    save(desk.folder / "none.png", mask(np.s_[:0]))
    save(desk.folder / "small.png", mask(np.s_[:20])[:60, :60])


def mask(where: Any) -> Any:
    plane = np.zeros((HEIGHT, WIDTH), np.uint8)
    plane[where] = 255
    return plane


def save(path: Path, pixels: Any) -> None:
    assert cv2.imwrite(str(path), pixels)


def asked(desk: Desk, *more: str) -> Any:
    done = desk.run(*more, "--json")
    assert done.code == 0, done.err
    return done.data


class TestTwoPictures:
    @pytest.mark.parametrize(
        ("query", "answer"),
        [
            ("Which is sharper?", "the second"),
            ("Which one is blurrier?", "the first"),
            ("which one should I keep?", "the second"),
            ("Which picture is worse?", "the first"),
            ("Is the first sharper than the second?", "No"),
            ("Is the second better than the first?", "Yes"),
            ("Are they the same?", "No"),
            ("Compare these two.", "the second"),
            ("Is it blurry?", "the first: Yes; the second: No"),
            ("Is the second blurry?", "No"),
            ("Which is sharper, A. the first B. the second", "B"),
        ],
    )
    def test_questions_in_the_words_of_people(self, desk: Desk, query: str, answer: str) -> None:
        assert asked(desk, *PAIR, "--query", query)["final_answer"] == answer

    def test_without_a_question_the_better_one_is_named(self, desk: Desk) -> None:
        done = desk.run(*PAIR)
        assert done.code == 0
        assert done.out.startswith("soft.png and good.png: the second ")
        assert "The two pictures" in done.out

    def test_swapped_pictures_swap_the_answer(self, desk: Desk) -> None:
        one = asked(desk, *PAIR)
        other = asked(desk, "iqa", "assess", "good.png", "--compare", "soft.png")
        assert (one["final_answer"], other["final_answer"]) == ("the second", "the first")
        assert one["quality_score"] == other["compared_with"]["quality_score"]

    def test_a_picture_and_itself_do_not_differ(self, desk: Desk) -> None:
        answer = asked(desk, "iqa", "assess", "good.png", "--compare", "good.png")
        assert answer["final_answer"] == "no visible difference"

    def test_every_number_is_measured(self, desk: Desk) -> None:
        for query in ("Which is sharper?", "Which is brighter?", "How do they differ?"):
            answer = asked(desk, *PAIR, "--query", query)
            assert numbers_grounded(answer["quality_reasoning"], answer["used_evidence"]) == []

    def test_taste_is_not_compared(self, desk: Desk) -> None:
        done = desk.run(*PAIR, "--query", "Which picture is more beautiful?", "--json")
        assert (done.code, done.data["final_answer"]) == (1, "Unable to determine")

    def test_with_a_reference_both_are_measured_against_it(self, desk: Desk) -> None:
        answer = asked(
            desk, "iqa", "assess", "soft.png", "--compare", "noisy.png", "--reference", "good.png"
        )
        alone = asked(desk, "iqa", "assess", "noisy.png", "--reference", "good.png")
        assert answer["compared_with"]["quality_score"] == alone["quality_score"]

    def test_the_report_shows_both(self, desk: Desk) -> None:
        assert desk.run(*PAIR, "--out", "pair.html").code == 0
        page = (desk.folder / "pair.html").read_text(encoding="utf-8")
        assert "First picture: soft.png" in page
        assert "Second picture: good.png" in page
        assert "<h1>iqa: good.png · soft.png · Which of the two" in page

    def test_it_replays_and_needs_no_picture_for_that(self, desk: Desk) -> None:
        run = asked(desk, *PAIR)["run"]
        assert desk.run("replay", run, "--execute", "--json").code == 0
        for name in ("soft.png", "good.png"):
            (desk.folder / name).unlink()
        assert desk.run("replay", run, "--json").code == 0

    def test_an_exchanged_second_picture_is_refused(self, desk: Desk) -> None:
        """The script ends before the answer; then the second picture changes."""
        plan: dict[str, Any] = {"query_type": "IQA", "plan": {}}
        script = desk.write("script.json", [said(plan, "iqa/planner")])
        stopped = desk.run(*PAIR, "--model", f"scripted:{script}")
        assert stopped.code == 3
        kept = (desk.folder / "good.png").read_bytes()
        photo(desk.folder / "good.png", noise=9)
        refused = desk.run("resume", "last")
        assert refused.code == 2
        assert "good.png is another picture" in refused.err
        (desk.folder / "good.png").write_bytes(kept)
        reply = {"final_answer": "the second", "quality_reasoning": "The first is blurred."}
        desk.write("script.json", [said(reply, ANSWER)])
        assert desk.run("resume", "last").code == 0

    def test_a_bad_second_picture_is_a_sentence_and_leaves_no_run(self, desk: Desk) -> None:
        (desk.folder / "broken.png").write_bytes(b"GIF89a")
        for name in ("broken.png", "missing.png"):
            done = desk.run("iqa", "assess", "good.png", "--compare", name)
            assert done.code == 2
            assert name in done.err
        assert desk.run("runs", "list", "--json").data == []


class TestMarkedRegion:
    @pytest.mark.parametrize(
        ("region", "answer"),
        [
            (("--box", "2,2,90,120"), "Yes"),
            (("--box", "104,2,90,120"), "No"),
            (("--mask", "left.png"), "Yes"),
            (("--mask", "right01.png"), "No"),
        ],
    )
    def test_the_question_is_about_it(
        self, desk: Desk, region: tuple[str, str], answer: str
    ) -> None:
        data = asked(desk, "iqa", "assess", "half.png", "--query", "Is it noisy?", *region)
        assert data["final_answer"] == answer
        assert data["plan"]["query_scope"] == ["marked area"]
        assert "marked area" in data["quality_reasoning"]
        named = asked(desk, "iqa", "assess", "half.png", "--query", "Is the zebra noisy?", *region)
        assert (named["final_answer"], named["iterations"]) == (answer, 0)
        assert named["plan"]["query_scope"] == ["zebra"]

    def test_it_is_graded_and_shown(self, desk: Desk) -> None:
        clean = asked(desk, "iqa", "assess", "half.png", "--box", "104 2 90 120")
        noisy = asked(desk, "iqa", "assess", "half.png", "--box", "2,2,90,120", "--out", "a.html")
        assert clean["quality_score"] > noisy["quality_score"]
        assert clean["final_answer"] in "ABCDE"
        assert "What the question is about" in (desk.folder / "a.html").read_text(encoding="utf-8")
        assert desk.run("replay", noisy["run"], "--execute", "--json").code == 0

    @pytest.mark.parametrize(
        ("region", "words"),
        [
            (("--box", "1,2,3"), "left, top, width and height"),
            (("--box", "a,b,c,d"), "left, top, width and height"),
            (("--box", "nan,0,9,9"), "left, top, width and height"),
            (("--box", "5,5,0,9"), "above 0"),
            (("--box", "150,5,60,40"), "outside of the picture, which has 200 × 134 pixels"),
            (("--box", "-1,5,60,40"), "outside of the picture"),
            (("--box", "5,5,2,2"), "too small"),
            (("--mask", "none.png"), "too small"),
            (("--mask", "small.png"), "the mask has 60 × 60 pixels, the picture 200 × 134"),
            (("--mask", "missing.png"), "missing.png"),
            (("--mask", "left.png", "--box", "5,5,90,90"), "not by both"),
        ],
    )
    def test_a_region_that_cannot_be_is_a_sentence_and_leaves_no_run(
        self, desk: Desk, region: tuple[str, ...], words: str
    ) -> None:
        done = desk.run("iqa", "assess", "half.png", *region)
        assert (done.code, done.out) == (2, "")
        assert words in " ".join(done.err.split())
        assert "Value error" not in done.err
        assert desk.run("runs", "list", "--json").data == []

    def test_the_plain_command_knows_it_too(self, desk: Desk) -> None:
        done = desk.run("iqa", "run", "half.png", "--box", "150,5,60,40")
        assert done.code == 2
        assert "outside of the picture" in done.err

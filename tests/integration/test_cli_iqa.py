"""`proveout iqa assess` as people use it: one picture, many, questions, references, bad files."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.command import Desk, Shell
from tests.integration.iqa_kit import SCORE, said
from tests.iqa_pictures import photo

WORST = "Which distortion is worst?"
VOLATILE = frozenset({"run"})


def steady(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what names the run."""
    return {name: value for name, value in answer.items() if name not in VOLATILE}


@pytest.fixture
def pictures(desk: Desk) -> dict[str, str]:
    """In the folder where commands run."""
    made = {
        "good.png": photo(desk.folder / "good.png"),
        "noisy.png": photo(desk.folder / "noisy.png", noise=25),
        "soft.png": photo(desk.folder / "soft.png", blur=2.5),
    }
    (desk.folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n and nothing more")
    (desk.folder / "empty.jpg").write_bytes(b"")
    (desk.folder / "words.txt").write_text("no picture", encoding="utf-8")
    return {name: str(path) for name, path in made.items()}


@pytest.mark.usefixtures("pictures")
class TestAssess:
    def test_one_picture_is_graded_with_reasons(self, desk: Desk) -> None:
        done = desk.run("iqa", "assess", "noisy.png")
        assert done.code == 0
        assert done.out.startswith("noisy.png: ")
        assert "of 5" in done.out
        assert "Tool scores" in done.out

    def test_quiet_says_one_line(self, desk: Desk) -> None:
        done = desk.run("iqa", "assess", "noisy.png", "--quiet")
        assert len(done.out.splitlines()) == 1

    def test_json_is_one_value_with_everything(self, desk: Desk) -> None:
        answer = desk.run("iqa", "assess", "noisy.png", "--json").data
        assert answer["image"] == "noisy.png"
        assert answer["accepted"]
        assert answer["final_answer"] in "ABCDE"
        low, high = answer["interval"]
        assert 1 <= low <= answer["quality_score"] <= high <= 5
        assert answer["plan"]["query_type"] == "IQA"
        assert answer["executor_evidence"]["quality_scores"]["Global"]

    def test_noise_is_worse_than_none(self, desk: Desk) -> None:
        rows = desk.run("iqa", "assess", "good.png", "noisy.png", "--json").data
        good, noisy = rows
        assert [row["image"] for row in rows] == ["good.png", "noisy.png"]
        assert good["quality_score"] > noisy["quality_score"]

    def test_the_same_bytes_give_the_same_json(self, desk: Desk) -> None:
        first = desk.run("iqa", "assess", "noisy.png", "--json").data
        assert steady(desk.run("iqa", "assess", "noisy.png", "--json").data) == steady(first)
        copy = desk.folder / "copy.png"
        copy.write_bytes((desk.folder / "noisy.png").read_bytes())
        again = desk.run("iqa", "assess", "copy.png", "--json").data
        assert steady(again) == {**steady(first), "image": "copy.png"}

    def test_a_picture_that_was_overwritten_is_looked_at_again(self, desk: Desk) -> None:
        before = desk.run("iqa", "assess", "good.png", "--json").data
        photo(desk.folder / "good.png", noise=25)
        after = desk.run("iqa", "assess", "good.png", "--json").data
        noisy = desk.run("iqa", "assess", "noisy.png", "--json").data
        assert after["quality_score"] == noisy["quality_score"] != before["quality_score"]

    @pytest.mark.parametrize(
        ("choices", "right"),
        [
            ("A. motion blur; B. noise; C. banding", "B"),
            ("(1) noise\n(2) banding", "1"),
            ("c) overexposure; d) noise", "d"),
        ],
    )
    def test_the_letters_of_choices_are_kept(self, desk: Desk, choices: str, right: str) -> None:
        asked = ("iqa", "assess", "noisy.png", "--query", WORST, "--choices", choices, "--json")
        answer = desk.run(*asked).data
        assert answer["plan"]["query_type"] == "MCQ"
        assert answer["final_answer"].strip("().").split()[0] == right

    def test_a_question_about_a_place_is_answered_about_that_place(self, desk: Desk) -> None:
        query = ("--query", "Is the upper left corner noisy?")
        answer = desk.run("iqa", "assess", "noisy.png", *query, "--json").data
        assert answer["final_answer"] == "Yes"
        assert answer["plan"]["query_scope"] == ["upper left corner"]
        assert answer["iterations"] == 0

    def test_a_region_that_nobody_can_find_is_planned_again_and_admitted(self, desk: Desk) -> None:
        answer = desk.run("iqa", "assess", "noisy.png", "--query", "Is the zebra sharp?", "--json")
        data = answer.data
        assert data["replan_history"]
        assert data["replan_history"][0].startswith("[Iteration 1] ")
        assert "zebra" in data["replan_history"][0]
        assert data["iterations"] == len(data["replan_history"]) <= 2

    def test_a_reference_makes_it_a_comparison(self, desk: Desk) -> None:
        asked = ("iqa", "assess", "soft.png", "--reference", "good.png", "--json")
        answer = desk.run(*asked).data
        assert answer["plan"]["reference_mode"] == "Full-Reference"
        same = desk.run("iqa", "assess", "good.png", "--reference", "good.png", "--json").data
        assert same["quality_score"] > answer["quality_score"]

    def test_a_question_that_nobody_can_measure_exits_1(self, desk: Desk) -> None:
        query = ("--query", "Which emotion does this picture convey?")
        done = desk.run("iqa", "assess", "good.png", *query, "--json")
        assert done.code == 1
        assert done.data["final_answer"] == "Unable to determine"


@pytest.mark.usefixtures("pictures")
class TestFiles:
    @pytest.mark.parametrize("name", ["missing.png", "broken.png", "empty.jpg", "words.txt"])
    def test_a_bad_file_is_a_sentence_and_exit_2(self, desk: Desk, name: str) -> None:
        done = desk.run("iqa", "assess", name)
        assert (done.code, done.out) == (2, "")
        assert name in done.err
        assert "Traceback" not in done.err
        assert "internal" not in done.err

    def test_a_bad_reference_is_a_sentence_and_exit_2(self, desk: Desk) -> None:
        done = desk.run("iqa", "assess", "good.png", "--reference", "broken.png")
        assert done.code == 2
        assert "broken.png" in done.err

    def test_bad_files_among_good_ones_do_not_stop_the_rest(self, desk: Desk) -> None:
        names = ("broken.png", "good.png", "missing.png", "noisy.png")
        done = desk.run("iqa", "assess", *names, "--json")
        assert done.code == 2
        assert [row["image"] for row in done.data if "error" not in row] == [
            "good.png",
            "noisy.png",
        ]
        assert {row["image"] for row in done.data if "error" in row} == {
            "broken.png",
            "missing.png",
        }

    def test_one_picture_becomes_a_page_of_its_own(self, desk: Desk) -> None:
        done = desk.run("iqa", "assess", "noisy.png", "--out", "report.html")
        assert done.code == 0
        page = (desk.folder / "report.html").read_text(encoding="utf-8")
        assert "Where quality is lost" in page
        assert "data:image/png;base64," in page
        assert 'src="http' not in page

    def test_several_pictures_become_one_page_worst_first(self, desk: Desk) -> None:
        desk.run("iqa", "assess", "good.png", "noisy.png", "--out", "all.html")
        page = (desk.folder / "all.html").read_text(encoding="utf-8")
        assert "Quality of 2 pictures" in page
        assert page.index("noisy.png") < page.index("good.png")

    def test_several_pictures_become_a_table_best_first(self, desk: Desk) -> None:
        desk.run("iqa", "assess", "noisy.png", "good.png", "--out", "all.csv")
        with (desk.folder / "all.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [row["image"] for row in rows] == ["good.png", "noisy.png"]
        assert float(rows[0]["low"]) <= float(rows[0]["quality_score"]) <= float(rows[0]["high"])

    def test_a_folder_stands_for_the_pictures_in_it(self, desk: Desk) -> None:
        shots = desk.folder / "shots"
        (shots / "below").mkdir(parents=True)
        photo(shots / "b.PNG")
        photo(shots / "a.jpg", noise=25)
        photo(shots / "below" / "c.png")
        (shots / "notes.txt").write_text("no picture", encoding="utf-8")
        done = desk.run("iqa", "assess", "shots", "--out", "all.html")
        assert done.code == 0
        assert [line.split(":")[0] for line in done.out.splitlines()] == [
            "shots/a.jpg",
            "shots/b.PNG",
        ]
        page = (desk.folder / "all.html").read_text(encoding="utf-8")
        assert "Quality of 2 pictures" in page
        answers = desk.run("iqa", "assess", "shots", "--json").data
        assert [answer["image"] for answer in answers] == ["shots/a.jpg", "shots/b.PNG"]

    def test_a_folder_without_pictures_is_a_sentence(self, desk: Desk) -> None:
        (desk.folder / "none").mkdir()
        done = desk.run("iqa", "assess", "none")
        assert done.code == 2
        assert "there is no picture in none" in done.err

    @pytest.mark.parametrize(
        ("out", "word"),
        [(".", "folder"), ("report.pdf", ".pdf"), ("report", "report"), ("a.csv", "folder")],
    )
    def test_a_place_that_cannot_be_written_is_told_before_the_work(
        self, desk: Desk, out: str, word: str
    ) -> None:
        (desk.folder / "a.csv").mkdir()
        done = desk.run("iqa", "assess", "good.png", "--out", out)
        assert done.code == 2
        assert word in done.err
        assert not desk.journal.exists()

    def test_a_table_in_a_folder_of_its_own_and_one_that_cannot_be(self, desk: Desk) -> None:
        assert desk.run("iqa", "assess", "good.png", "--out", "new/all.csv").code == 0
        assert (desk.folder / "new" / "all.csv").read_text(encoding="utf-8").startswith("image,")
        done = desk.run("iqa", "assess", "good.png", "--out", "words.txt/all.csv")
        assert done.code == 2
        assert "cannot write the table" in done.err


@pytest.mark.usefixtures("pictures")
class TestRecord:
    def test_an_assessment_replays_faithfully(self, desk: Desk) -> None:
        answer = desk.run("iqa", "assess", "noisy.png", "--query", WORST, "--json").data
        for more in ((), ("--execute",)):
            assert desk.run("replay", answer["run"], *more, "--json").code == 0
        assert desk.run("runs", "verify", "--json").data["damage"] == []

    def test_a_replay_needs_no_picture(self, desk: Desk) -> None:
        answer = desk.run("iqa", "assess", "noisy.png", "--json").data
        (desk.folder / "noisy.png").unlink()
        assert desk.run("replay", answer["run"], "--json").code == 0

    def test_an_interrupted_run_goes_on_without_asking_again(self, desk: Desk) -> None:
        """The script ends before the summary; with the missing reply the run is resumed."""
        planner = said({"query_type": "IQA", "plan": {"distortion_analysis": True}}, "iqa/planner")
        analysis: Any = {
            "Global": [{"type": "Noise", "severity": "severe", "explanation": "Grain."}]
        }
        analyse = said({"distortion_analysis": analysis}, "iqa/analyse")
        script = desk.write("script.json", [planner, analyse])
        stopped = desk.run("iqa", "assess", "noisy.png", "--model", f"scripted:{script}")
        assert stopped.code == 3
        assert "no reply left" in stopped.err
        reply = {"final_answer": "D", "quality_reasoning": "Severe noise."}
        desk.write("script.json", [said(reply, SCORE)])
        resumed = desk.run("resume", "last", "--json")
        assert resumed.code == 0
        assert resumed.data["outcome"]["answer"]["final_answer"] == "D"
        assert resumed.data["outcome"]["answer"]["executor_evidence"]["distortion_analysis"]
        assert desk.run("replay", "last", "--json").code == 0


def test_another_process_gives_the_same_answer(shell: Shell) -> None:
    """Two processes, two journals, one thread or two: the same numbers."""
    photo(shell.folder / "noisy.png", noise=25)
    answers = []
    for threads in ("1", "2"):
        shell.variables.update({"OMP_NUM_THREADS": threads, "PROVEOUT_HOME": f"home-{threads}"})
        done = shell.run("iqa", "assess", "noisy.png", "--json")
        assert done.code == 0, done.err
        answers.append(steady(done.data))
    assert answers[0] == answers[1]
    assert Path(shell.folder / "home-1" / "journal.db").exists()


def test_a_dry_run_of_the_plain_command_sends_nothing(desk: Desk) -> None:
    photo(desk.folder / "good.png")
    done = desk.run("iqa", "run", "good.png", "--dry-run", "--json")
    assert done.code == 0
    assert "good.png" in json.dumps(done.data)

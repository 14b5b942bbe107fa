"""The single calls: a picture, a business task, a search on tables, a leakage check."""

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.integration.command import wait_for
from tests.integration.server.serving import SECONDS, Served, problem
from tests.integration.solver_kit import company
from tests.mle_tables import regression

LEAKY = """
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

table = pd.read_csv("train.csv")
values = StandardScaler().fit_transform(table.drop(columns="target"))
a, b, c, d = train_test_split(values, table["target"])
print(LogisticRegression().fit(a, c).score(b, d))
"""


def picture(noise: float) -> bytes:
    rows, columns = np.mgrid[0:96, 0:128]
    smooth = 90 + 60 * np.sin(rows / 9.0) + 40 * np.cos(columns / 13.0)
    grain = np.random.default_rng(5).normal(0, noise, smooth.shape)
    out = io.BytesIO()
    levels = np.clip(smooth + grain, 0, 255).astype(np.uint8)
    Image.fromarray(np.stack([levels] * 3, axis=2)).save(out, "PNG")
    return out.getvalue()


def test_a_picture_that_is_sent_is_graded(served: Served) -> None:
    sent = {"image": ("holiday photo.png", picture(4.0), "image/png")}
    answer = served.post("/iqa/assess", files=sent)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["accepted"]
    assert not told["reused"]
    assert 1 <= told["quality_score"] <= 5
    assert told["final_answer"] in tuple("ABCDE")
    run = served.get(f"/api/v1/runs/{told['run']}").json()
    assert (run["app"], run["state"]) == ("iqa", "accepted")
    assert run["outcome"]["answer"]["quality_score"] == told["quality_score"]
    again = served.post("/iqa/assess", files={"image": ("b.png", picture(4.0), "image/png")}).json()
    assert (again["reused"], again["run"]) == (True, told["run"])
    assert again["quality_score"] == told["quality_score"]


def test_a_question_is_part_of_what_was_asked(served: Served) -> None:
    sent = {"image": ("a.png", picture(30.0), "image/png")}
    asked = {"query": "Is it noisy?"}
    told = served.post("/iqa/assess", files=sent, data=asked).json()
    assert told["final_answer"] in ("Yes", "No")
    assert not told["reused"]
    options = {"query": "Which is it?", "choices": "A. motion blur\nB. noise\n"}
    other = served.post("/iqa/assess", files=sent, data=options).json()
    assert other["final_answer"] in ("A", "B")
    assert not other["reused"]
    assert len({told["run"], other["run"]}) == 2


def test_a_question_that_many_ask_at_once_is_one_run(served: Served) -> None:
    sent = {"image": ("a.png", picture(17.0), "image/png")}

    def ask(_: int) -> dict[str, object]:
        answer = served.post("/iqa/assess", files=sent)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    before = served.get("/api/v1/runs", params={"app": "iqa"}).json()["total"]
    with ThreadPoolExecutor(12) as many:
        told = list(many.map(ask, range(12)))
    assert served.get("/api/v1/runs", params={"app": "iqa"}).json()["total"] == before + 1
    assert len({one["run"] for one in told}) == 1
    assert sorted(one["reused"] for one in told) == [False] + [True] * 11  # type: ignore[type-var]


def test_a_mistake_that_many_make_at_once_is_told_to_each(served: Served) -> None:
    sent = {"image": ("a.png", b"no picture, eighteen letters long", "image/png")}
    with ThreadPoolExecutor(6) as many:
        answers = list(many.map(lambda _: served.post("/iqa/assess", files=sent), range(6)))
    assert {problem(answer, 400)["code"] for answer in answers} == {"iqa.intake.format"}
    assert problem(served.post("/iqa/assess", files=sent), 400)


def test_a_picture_in_the_allowed_folder_is_named(served: Served) -> None:
    (served.root / "here.png").write_bytes(picture(8.0))
    told = served.post("/iqa/assess", json={"image": "here.png"}).json()
    assert told["accepted"], told
    kept = served.post("/api/v1/uploads", files={"file": ("x.png", picture(9.0), "image/png")})
    assert kept.status_code == 201
    word = kept.json()["upload"]
    assert word.startswith("upload:")
    assert served.post("/iqa/assess", json={"image": word}).json()["accepted"]


def test_no_task_reaches_outside_of_the_folder(served: Served) -> None:
    outside = served.root.parent / "outside.png"
    outside.write_bytes(picture(3.0))
    link = served.root / "link.png"
    link.unlink(missing_ok=True)
    link.symlink_to(outside)
    folder = served.root / "folder"
    folder.unlink(missing_ok=True)
    folder.symlink_to(served.root.parent)
    for path in (
        str(outside),
        "../outside.png",
        "link.png",
        "folder/outside.png",
        "~/outside.png",
        "upload:../../outside.png",
        "upload:nothing",
        "a\0b.png",
    ):
        answer = served.post("/iqa/assess", json={"image": path})
        assert answer.status_code in (400, 404), path
        assert problem(answer, answer.status_code)["code"] != "internal"
        body = {"app": "iqa", "task": {"image": path}}
        assert served.post("/api/v1/runs", json=body).status_code in (400, 404), path
    for fields in (
        {"app": "mle", "task": {"folder": "/"}},
        {"app": "mle", "task": {"folder": ".", "out": "/tmp/elsewhere"}},
        {"app": "mle", "task": {"folder": ".", "card": "/etc/hostname"}},
        {
            "app": "solver",
            "task": {"text": "x", "task_url": "http://localhost/", "exchanges_to": "/"},
        },
        {"app": "pattern", "task": {"expression": "a"}, "model": "recorded:/etc/passwd"},
    ):
        answer = served.post("/api/v1/runs/ceiling", json=fields)
        assert problem(answer, 400)["code"] == "usage.outside_root", fields


def test_what_is_no_picture_leaves_no_run_behind(served: Served) -> None:
    before = served.get("/api/v1/runs").json()["total"]
    sent = {"image": ("a.png", b"this is no picture", "image/png")}
    told = problem(served.post("/iqa/assess", files=sent), 400)
    assert told["code"].startswith("iqa.intake")
    # By the name that it was sent under; where it is kept concerns nobody.
    assert told["message"].startswith("a.png: ")
    assert problem(served.post("/iqa/assess", files={"image": ("a.png", b"", "image/png")}), 400)
    assert problem(served.post("/iqa/assess", data={"query": "x"}), 422)
    assert problem(served.post("/iqa/assess", content=b"nonsense"), 422)["code"] == "request.shape"
    assert served.get("/api/v1/runs").json()["total"] == before


def test_a_script_is_checked_for_leakage(served: Served) -> None:
    told = served.post("/mle/check", json={"source": LEAKY, "filename": "train.py"}).json()
    assert told["leaks"] >= 1
    assert told["file"] == "train.py"
    (served.root / "clean.py").write_text("print(1)\n", encoding="utf-8")
    assert served.post("/mle/check", json={"path": "clean.py"}).json()["leaks"] == 0
    broken = served.post("/mle/check", json={"source": "def ("}).json()
    assert broken["unreadable"]
    assert problem(served.post("/mle/check", json={}), 400)["hint"]
    outside = served.post("/mle/check", json={"path": "/etc/passwd"})
    assert problem(outside, 400)["code"] == "usage.outside_root"


def test_a_business_task_is_solved(served: Served, tmp_path: Path) -> None:
    with company(tmp_path) as firm:
        spec = sorted(firm.session())[0]
        asked = firm.task(spec, rehearse=True)
        told = served.post("/solver/solve", json=asked)
        assert told.status_code == 200, told.text
        body = told.json()
        assert body["outcome"]["summary"]
        run = served.get(f"/api/v1/runs/{body['run']}").json()
        assert run["task"]["text"] == asked["text"]
        assert run["accepted"] == body["accepted"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("address", ["http://[", "http://127.0.0.1:99999/x", "http:///x"])
def test_what_is_no_address_is_told(served: Served, address: str) -> None:
    asked = {"text": "Who am I?", "task_url": address}
    assert "is not an http" in problem(served.post("/solver/solve", json=asked), 400)["message"]


def test_an_api_that_does_not_answer_is_no_defect_of_ours(served: Served) -> None:
    asked = {"text": "Who am I?", "task_url": "http://127.0.0.1:1/x"}
    told = problem(served.post("/solver/solve", json=asked), 502)
    assert told["code"] == "solver.api.unreachable"
    assert "running?" in told["hint"]


def test_a_rehearsal_that_reaches_nobody_has_proved_nothing(served: Served) -> None:
    asked = {"text": "Who am I?", "task_url": "http://127.0.0.1:1/x", "rehearse": True}
    assert problem(served.post("/solver/solve", json=asked), 502)["code"] == (
        "solver.api.unreachable"
    )


def test_an_address_with_a_password_is_refused_before_it_is_written_down(served: Served) -> None:
    before = served.get("/api/v1/runs", params={"app": "solver"}).json()["total"]
    asked = {"text": "Who am I?", "task_url": "http://me:hushhush@127.0.0.1:1/x"}
    told = problem(served.post("/solver/solve", json=asked), 400)
    assert "password" in told["message"]
    assert "hushhush" not in str(told)
    assert served.get("/api/v1/runs", params={"app": "solver"}).json()["total"] == before


def test_a_folder_without_tables_leaves_no_run_behind(served: Served) -> None:
    (served.root / "bare").mkdir()
    before = served.get("/api/v1/runs", params={"app": "mle"}).json()["total"]
    assert (
        "no table in" in problem(served.post("/mle/runs", json={"folder": "bare"}), 400)["message"]
    )
    assert served.get("/api/v1/runs", params={"app": "mle"}).json()["total"] == before


def test_a_folder_that_is_not_there_leaves_no_run_behind(served: Served) -> None:
    before = served.get("/api/v1/runs", params={"app": "mle"}).json()["total"]
    told = problem(served.post("/mle/runs", json={"folder": "nowhere"}), 400)
    assert told["message"] == "nowhere: there is no such folder"
    assert served.get("/api/v1/runs", params={"app": "mle"}).json()["total"] == before


def test_a_search_on_tables_is_begun_and_watched(served: Served) -> None:
    regression(served.root / "houses", 120)
    asked = {"folder": "houses", "smoke": True, "seconds": 60}
    answer = served.post("/mle/runs", json=asked)
    assert answer.status_code == 201, answer.text
    run = answer.json()["run"]
    wait_for(lambda: served.state(run) in ("accepted", "not accepted", "interrupted"), 240)
    told = served.get(f"/api/v1/runs/{run}").json()
    assert told["state"] == "accepted", served.get(f"/api/v1/runs/{run}/events").text[-2000:]
    assert told["outcome"]["answer"]["submission"].startswith(str(served.root.resolve()))


def test_an_upload_is_bounded(served: Served) -> None:
    large = io.BytesIO(b"x" * 51_000_000)
    answer = served.post("/api/v1/uploads", files={"file": ("x.png", large)}, timeout=SECONDS)
    assert problem(answer, 413)["code"] == "server.too_large"
    assert problem(served.post("/api/v1/uploads", files={"file": ("", b"")}), 422)

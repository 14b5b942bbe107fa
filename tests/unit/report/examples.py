"""A run and panels that the report tests share: all eight kinds, each with what it can do."""

import io
import math

from PIL import Image as Pillow
from PIL import ImageDraw

from proveout.kernel.budget import Budget
from proveout.kernel.events import (
    BudgetWarned,
    Event,
    ModelCalled,
    Note,
    PromptRendered,
    ProposalMade,
    Recorded,
    RunEnded,
    RunInterrupted,
    RunResumed,
    RunStarted,
    VerdictGiven,
)
from proveout.kernel.panels import (
    Bar,
    Chart,
    Code,
    Column,
    Diff,
    Image,
    Node,
    Panel,
    Range,
    Reference,
    Series,
    Sql,
    Table,
    Text,
    Tree,
    bitmap,
)
from proveout.kernel.run import Run, read_run
from proveout.kernel.types import Finding, Outcome, Usage, Verdict

SCRIPT = """import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

data = pd.read_csv("train.csv")  # 891 rows
features, target = data.drop(columns="survived"), data["survived"]
scaled = StandardScaler().fit_transform(features)
train, test, y_train, y_test = train_test_split(scaled, target, random_state=0)
model = LogisticRegression(max_iter=200).fit(train, y_train)
print("score:", model.score(test, y_test))
"""
REPAIRED = SCRIPT.replace(
    """scaled = StandardScaler().fit_transform(features)
train, test, y_train, y_test = train_test_split(scaled, target, random_state=0)
""",
    """train, test, y_train, y_test = train_test_split(features, target, random_state=0)
scaler = StandardScaler().fit(train)
train, test = scaler.transform(train), scaler.transform(test)
""",
).replace("max_iter=200", "max_iter=500")
LEAK = Finding(
    code="mle.leak.fit_before_split",
    message="StandardScaler is fitted on rows that are later used for validation",
    where="script.py:8",
    hint="Split first; fit every transformer on the training part only.",
)
SLOW = Finding(
    code="mle.run.timeout", message="no score after 30 s", hint="Use fewer trees or fewer rows."
)
ROUNDED = Finding(
    code="mle.score.rounded", message="the score is printed with 2 decimals", severity="warning"
)
LESSON = "sha256:" + "5e" * 32


def recorded(events: list[Event], run: str = "r7k2m9") -> list[Recorded]:
    """Events as a journal would give them back, one every 1.5 seconds."""
    return [
        Recorded(run, n, f"sha256:{n:064x}", "", 1_800_000_000.0 + n, 1.5 * n, event)
        for n, event in enumerate(events, start=1)
    ]


def started(**changed: object) -> RunStarted:
    fields: dict[str, object] = {
        "app": "mle",
        "task": {"data": "data/titanic", "metric": "accuracy", "direction": "higher"},
        "model": "anthropic:claude-sonnet-5",
        "seed": 0,
        "budget": Budget(rounds=8, calls=10, tokens=40_000, cost_usd=0.05, seconds=600),
        "version": "0.1.0",
    }
    return RunStarted.model_validate({**fields, **changed})


def attempt(
    key: str,
    text: str,
    *findings: Finding,
    score: float | None = None,
    lessons: tuple[str, ...] = (),
) -> list[Event]:
    """The events of one judged attempt with one model call."""
    usage = Usage(calls=1, input_tokens=2310, output_tokens=612, cost_usd=0.0161)
    role = "mle/write_script"
    place = f"{key}>write_script"
    return [
        PromptRendered(key=place, role=role, model="m", template_id="t", prompt="sha256:aa"),
        ModelCalled(
            key=place,
            role=role,
            model="claude-sonnet-5",
            text="sha256:bb",
            usage=usage,
            seconds=4.2,
        ),
        ProposalMade(
            key=key,
            returns="Script",
            proposal={"plan": "logistic", "script": text},
            lessons=lessons,
            usage=usage,
        ),
        VerdictGiven(key=key, verdict=Verdict(findings=findings, score=score)),
    ]


def accepted_run() -> Run:
    """Interrupted once, repaired after three rejections, accepted."""
    return read_run(
        recorded(
            [
                started(),
                Note(text="reading 891 rows"),
                *attempt("candidate-1#0", SCRIPT, LEAK, ROUNDED, score=0.842),
                *attempt("candidate-2#0", SCRIPT, SLOW),
                RunInterrupted(reason="asked to stop"),
                RunResumed(
                    budget=started().budget, model="anthropic:claude-sonnet-5", version="0.1.0"
                ),
                BudgetWarned(key="^", bound="cost_usd", used=0.0483, limit=0.05),
                *attempt("candidate-2#1", SCRIPT, LEAK, LEAK, score=0.79, lessons=(LESSON,)),
                *attempt("candidate-2#2", REPAIRED, score=0.8117, lessons=(LESSON,)),
                RunEnded(
                    outcome=Outcome(
                        accepted=True,
                        answer={"script": "out/script.py", "score": 0.8117},
                        score=0.8117,
                        summary="A script without leakage that scores 0.8117",
                    ),
                    usage=Usage(),
                ),
            ]
        )
    )


def picture(*, heat: bool) -> bytes:
    """A small landscape; as a heat map, a translucent stain over it."""
    if heat:
        image = Pillow.new("RGBA", (320, 200), (0, 0, 60, 40))
        draw = ImageDraw.Draw(image, "RGBA")
        for radius in range(60, 0, -6):
            box = (210 - radius, 90 - radius, 210 + radius, 90 + radius)
            draw.ellipse(box, fill=(255, 120 - radius, 0, 60 + 2 * (60 - radius)))
    else:
        image = Pillow.new("RGB", (320, 200), (120, 170, 220))
        draw = ImageDraw.Draw(image)
        draw.polygon(
            [(0, 160), (110, 60), (200, 140), (260, 90), (320, 150), (320, 200), (0, 200)],
            fill=(70, 100, 80),
        )
        draw.ellipse((240, 20, 280, 60), fill=(250, 230, 140))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def panels() -> list[Panel]:
    """One of each kind, with what each kind can do."""
    return [
        Text(
            title="How to read this",
            text="The script was **executed**, not read.\n\n- rows: 891\n- split: `random_state=0`",
            severity="info",
        ),
        Table(
            title="Ablation",
            columns=(
                Column(name="component"),
                Column(name="score", digits=4),
                Column(name="loss without it", digits=4),
                Column(name="kept", align="center"),
            ),
            rows=(
                ("target encoding", 0.8117, 0.0312, True),
                ("scaling", 0.8034, 0.0083, True),
                ("cabin letter", 0.8119, -0.0002, False),
                ("interaction terms", math.nan, None, False),
            ),
            bar=Bar(column="loss without it"),
            note="Each component was replaced by nothing and the script executed again.",
        ),
        Code(title="Script", text=REPAIRED, language="python", highlight=(8, 9, 10)),
        Diff(
            title="Repair",
            before=SCRIPT,
            after=REPAIRED,
            language="python",
            before_name="candidate-2#1",
            after_name="candidate-2#2",
        ),
        Chart(
            title="Score per round",
            form="line",
            series=(
                Series(
                    name="validation",
                    values=(0.71, 0.74, None, 0.79, 0.8117),
                    errors=(0.02, 0.02, None, 0.01, 0.01),
                ),
                Series(name="training", values=(0.75, 0.79, 0.8, 0.83, 0.845)),
            ),
            labels=("start", "impute", "broken", "encode", "scale"),
            y_label="accuracy",
            direction="higher",
            reference=Reference(value=0.786, label="baseline 0.786"),
        ),
        Chart(
            title="Loss by component",
            form="bars",
            series=(
                Series(name="loss", values=(0.0312, 0.0083, -0.0002), errors=(0.004, 0.002, 0.001)),
            ),
            labels=("target encoding", "scaling", "cabin letter"),
            y_label="loss of accuracy",
        ),
        Chart(
            title="Image metrics",
            form="range",
            series=(Series(name="this image", values=(0.61, 38.2, 27.9)),),
            labels=("MUSIQ", "BRISQUE", "PSNR"),
            ranges=(
                Range(low=0, high=1, direction="higher"),
                Range(low=0, high=100, direction="lower"),
                Range(low=10, high=50, direction="higher"),
            ),
        ),
        Chart(
            title="Time per attempt",
            form="spark",
            series=(Series(name="seconds", values=(4.0, 3.5, 6.1, 2.2, 2.4, 1.9, 3.3)),),
        ),
        Tree(
            title="Plan",
            nodes=(
                Node(
                    label="acquire",
                    status="accepted",
                    children=(
                        Node(label="employees/list", status="accepted", note="74 rows", score=1.0),
                        Node(label="projects/get", status="rejected", note="404"),
                    ),
                ),
                Node(label="write", status="pending", note="waits for the proof"),
            ),
        ),
        Image(
            title="Distortion",
            base=bitmap(picture(heat=False)),
            overlay=bitmap(picture(heat=True)),
            caption="Blur, strongest around the second peak",
        ),
        Sql(
            title="Fact: who leads the project",
            query="SELECT name, department, hours\nFROM employees\n"
            "WHERE role = 'lead' AND hours > 10\nORDER BY hours DESC;",
            columns=("name", "department", "hours"),
            rows=(("Ada", "Research", 32), ("Grace", "Systems", 18.5), ("Zoë", None, 11)),
            more=2,
        ),
    ]

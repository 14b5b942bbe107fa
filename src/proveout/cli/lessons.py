"""`proveout lessons`: what earlier attempts taught, and which proposals were told."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from proveout.cli.output import emit, say, stdout
from proveout.cli.runs import RunId
from proveout.cli.session import workspace

app = typer.Typer(help="Show lessons and what they influenced.", no_args_is_help=True)
Journal = Annotated[Path | None, typer.Option(help="another journal file")]
Json = Annotated[bool, typer.Option("--json", help="as JSON on stdout")]


def _flags(journal: Path | None) -> dict[str, Any]:
    return {"journal.path": str(journal) if journal else None}


@app.command("list")
def list_lessons(
    name: Annotated[str, typer.Argument(help="the app; all if omitted")] = "",
    journal: Journal = None,
    json: Json = False,
) -> None:
    """List the consolidated lessons that proposers are given.

    Example: proveout lessons list pattern
    """
    from proveout import apps
    from proveout.adapters.experience import JournalledExperience

    names = [apps.find(name).name] if name else list(apps.installed())
    with workspace(_flags(journal), readonly=True) as opened:
        experience = JournalledExperience(opened.journal)
        found = [(one, lesson) for one in names for lesson in experience.recall(one)]
    if json:
        emit([{"app": one, **lesson.model_dump(mode="json")} for one, lesson in found])
        return
    table = Table("app", "kind", "topic", "about", "advice", "seen", box=None)
    for one, lesson in found:
        cells = (one, lesson.kind, lesson.topic, lesson.subject, lesson.advice, str(lesson.count))
        table.add_row(*cells)
    stdout().print(table if found else "no lessons yet", markup=False)


@app.command("audit")
def audit(run: RunId = "last", journal: Journal = None, json: Json = False) -> None:
    """Tell which lessons each proposal of a run was given, and where those were learned.

    Example: proveout lessons audit last
    """
    with workspace(_flags(journal), readonly=True) as opened:
        read = opened.read(opened.find(run))
        known = {learned.patch.signature: learned for learned in opened.journal.learned(read.app)}
    rows: list[dict[str, Any]] = [
        {
            "attempt": attempt.key,
            "lessons": [
                {
                    "signature": signature,
                    "advice": known[signature].patch.advice if signature in known else "",
                    "learned": [
                        origin.model_dump()
                        for origin in (known[signature].origins if signature in known else ())
                    ],
                }
                for signature in attempt.lessons
            ],
        }
        for attempt in read.attempts
    ]
    if json:
        emit({"run": read.id, "attempts": rows})
        return
    for row in rows:
        advice = [str(lesson["advice"] or lesson["signature"]) for lesson in row["lessons"]]
        stdout().print(f"{row['attempt']}: {'; '.join(advice) or 'none'}", markup=False)
    say("lessons steer proposers only; no check has seen them")

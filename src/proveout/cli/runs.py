"""`proveout runs`, `proveout replay`, `proveout report`: reading what the journal holds."""

import datetime
import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from proveout.cli.output import emit, say, send, stderr, stdout
from proveout.cli.session import workspace
from proveout.kernel.run import Run, run_data

if TYPE_CHECKING:
    from proveout.runtime import Workspace

app = typer.Typer(help="List, show, compare and verify runs.", no_args_is_help=True)


def complete_runs(incomplete: str) -> list[str]:
    """Run ids for the shell."""
    try:
        with workspace(readonly=True) as opened:
            names = [row.run for row in opened.journal.runs()[:50]]
    except Exception:  # noqa: BLE001 - a shell completion must never print an error
        return []
    return [name for name in [*names, "last"] if name.startswith(incomplete)]


RunId = Annotated[
    str, typer.Argument(help="id, unique part of it, or `last`", autocompletion=complete_runs)
]
Journal = Annotated[Path | None, typer.Option(help="another journal file")]
Json = Annotated[bool, typer.Option("--json", help="as JSON on stdout")]


def _flags(journal: Path | None) -> dict[str, Any]:
    return {"journal.path": str(journal) if journal else None}


@app.command("list")
def list_runs(
    only: Annotated[str | None, typer.Option("--app", help="runs of this app only")] = None,
    most: Annotated[int, typer.Option(min=1, help="how many, newest first")] = 20,
    journal: Journal = None,
    json: Json = False,
) -> None:
    """List runs, newest first.

    Example: proveout runs list --app pattern
    """
    with workspace(_flags(journal), readonly=True) as opened:
        rows = [row for row in opened.journal.runs() if only in (None, row.app)]
        runs = [opened.read(row.run) for row in rows[:most]]
        states = [state_of(opened, run) for run in runs]
    if json:
        emit([_line(run, state) for run, state in zip(runs, states, strict=True)])
        return
    table = Table("run", "state", "attempts", "score", "cost", "answer", box=None)
    for column in table.columns[:-1]:
        column.no_wrap = True
    # On a narrow screen anything may go but the name by which a run is asked for.
    table.columns[0].min_width = max((len(run.id) for run in runs), default=0)
    for run, state in zip(runs, states, strict=True):
        line = _line(run, state)
        score = "" if line["score"] is None else f"{line['score']:g}"
        cost = f"{line['cost_usd']:.4f}" if line["cost_usd"] else ""
        table.add_row(run.id, state, str(line["attempts"]), score, cost, line["summary"])
    stdout().print(table if runs else "no runs yet: start with `proveout demo`", markup=False)
    if len(rows) > most:
        say(f"{len(rows) - most} more; --most {len(rows)} shows all")


@app.command("show")
def show_run(
    run: RunId = "last",
    events: Annotated[
        bool, typer.Option("--events", help="every event, one JSON line each")
    ] = False,
    journal: Journal = None,
    json: Json = False,
) -> None:
    """Show a run: verdict, attempts, findings, budget.

    Example: proveout runs show last
    """
    from proveout.report.terminal import show
    from proveout.report.view import page_of

    with workspace(_flags(journal), readonly=True) as opened:
        found = opened.find(run)
        if events:
            for row in opened.journal.read(found):
                body = row.event.model_dump(mode="json")
                line = {"sequence": row.sequence, "id": row.id, "elapsed": row.elapsed, **body}
                send(jsonlib.dumps(line, ensure_ascii=False) + "\n")
            return
        read = opened.read(found)
        if json:
            emit({**run_data(read), "state": state_of(opened, read)})
        else:
            show(
                page_of(read, opened.panels(read), opened.chain_state(read.id)),
                stdout(),
                opened.journal.get,
            )


@app.command("diff")
def diff_runs(left: RunId, right: RunId, journal: Journal = None, json: Json = False) -> None:
    """Compare two runs: task, attempts, verdicts, cost. Exit 1 if they differ.

    Example: proveout runs diff 57fb48 last
    """
    from proveout.report.comparing import difference

    with workspace(_flags(journal), readonly=True) as opened:
        one, other = opened.read(opened.find(left)), opened.read(opened.find(right))
    lines = difference(one, other)
    if json:
        emit({"left": one.id, "right": other.id, "same": not lines, "diff": lines})
    for line in [] if json else lines:
        colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
        stdout().print(line, style=colour, markup=False)
    if not lines:
        say("no difference")
    raise typer.Exit(1 if lines else 0)


@app.command("verify")
def verify_runs(
    run: Annotated[str, typer.Argument(help="one run; all if omitted")] = "",
    journal: Journal = None,
    json: Json = False,
) -> None:
    """Derive every hash again. Exit 1 if anything is not as it was written.

    Example: proveout runs verify
    """
    from proveout.adapters.journal.verify import verify

    with workspace(_flags(journal), readonly=True) as opened:
        name = opened.find(run) if run else ""
        damage = verify(opened.journal, name)
        count = 1 if name else len(opened.journal.runs())
    if json:
        emit({"runs": count, "damage": [item._asdict() for item in damage]})
    for item in [] if json else damage:
        stderr().print(f"[red]damaged[/] {item.run} {item.message}")
    if not damage:
        say(f"{count} runs verified: every event, content and lesson is as it was written")
    raise typer.Exit(1 if damage else 0)


def replay(
    run: RunId = "last",
    execute: Annotated[
        bool, typer.Option("--execute", help="observe the world again instead of reading evidence")
    ] = False,
    journal: Journal = None,
    json: Json = False,
) -> None:
    """Judge the recorded proposals again, without model or network. Exit 1 if a verdict differs.

    Example: proveout replay last
    """
    from proveout.report.comparing import verdict_words as words

    with workspace(_flags(journal), readonly=True) as opened:
        replayed = opened.replay(opened.find(run), execute=execute)
    if json:
        emit(
            {
                "run": replayed.run,
                "judged": replayed.judged,
                "recorded": replayed.recorded,
                "faithful": replayed.faithful,
                "diverged": replayed.diverged,
                "differences": [
                    {
                        "key": item.key,
                        "recorded": item.recorded.model_dump(mode="json"),
                        "now": item.now.model_dump(mode="json"),
                    }
                    for item in replayed.differences
                ],
            }
        )
    for item in replayed.differences:
        say(f"{item.key}: {words(item.recorded)} then, {words(item.now)} now", style="red")
    if replayed.diverged:
        say(replayed.diverged, style="red")
    if replayed.outcome_differs:
        say("the outcome is another one than was recorded", style="red")
    same = "all the same" if replayed.faithful else "NOT the same"
    say(f"{replayed.judged} of {replayed.recorded} verdicts judged again: {same}")
    raise typer.Exit(0 if replayed.faithful else 1)


def report(
    run: RunId = "last",
    out: Annotated[Path, typer.Option("--out", "-o", help=".html .md .json .xml .txt")] = Path(
        "report.html"
    ),
    journal: Journal = None,
) -> None:
    """Write a run's report; the file's ending chooses the format.

    Example: proveout report last -o report.html
    """
    from proveout.report.export import write
    from proveout.report.view import page_of

    with workspace(_flags(journal), readonly=True) as opened:
        read = opened.read(opened.find(run))
        write(
            page_of(read, opened.panels(read), opened.chain_state(read.id)), out, opened.journal.get
        )
    say(f"report: {out}")


def state_of(opened: "Workspace", run: Run) -> str:
    """Whether it is going on is derived from its lock, never from what was written."""
    if run.outcome is not None and run.state == "ended":
        return "accepted" if run.outcome.accepted else "not accepted"
    return "running" if opened.is_running(run.id) else "interrupted"


def _line(run: Run, state: str) -> dict[str, Any]:
    started = datetime.datetime.fromtimestamp(run.started_at, tz=datetime.UTC)
    return {
        "run": run.id,
        "app": run.app,
        "started": started.isoformat(timespec="seconds"),
        "state": state,
        "attempts": len(run.attempts),
        "score": run.outcome.score if run.outcome else None,
        "cost_usd": run.usage.cost_usd,
        "tokens": run.usage.tokens,
        "summary": run.outcome.summary if run.outcome else "",
    }

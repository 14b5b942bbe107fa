"""`proveout iqa assess`: pictures in, grades and answers out, as people would ask for them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proveout.apps.iqa.answers import demand_pictures
from proveout.cli.iqa_answers import (
    TABLES,
    answer_of,
    pictures_at,
    summary_page,
    write_table,
)
from proveout.cli.output import emit, progress, say, stderr, stdout
from proveout.cli.running import Cost, Journal, Model, Quiet, Seconds
from proveout.cli.session import resumable, stoppable, workspace
from proveout.kernel.errors import ProveoutError, UsageError
from proveout.kernel.run import Run

if TYPE_CHECKING:
    from proveout.runtime import Workspace

Query = Annotated[str | None, typer.Option(help="the question; an overall grade if omitted")]
Choices = Annotated[str | None, typer.Option(help="options: 'A. blur; B. noise'")]
Reference = Annotated[Path | None, typer.Option(help="the same picture without distortion")]
Compare = Annotated[
    Path | None, typer.Option(help="a second picture: which is better, sharper, …?")
]
Box = Annotated[str | None, typer.Option(help="the region asked about: left,top,width,height")]
Mask = Annotated[Path | None, typer.Option(help="a picture that is white where the region is")]
Json = Annotated[bool, typer.Option("--json", help="the answers as JSON on stdout")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="report file, one page for several images; .csv or .parquet for a table"
    ),
]
Backends = Annotated[
    Path | None, typer.Option(help="model_backends.yaml: a vision model per agent")
]


def add_commands(group: typer.Typer) -> None:
    """Put the commands of this app beside its `run`."""
    from proveout.cli.iqa_batch import batch

    group.command("assess")(assess)
    group.command("batch")(batch)


def assess(  # noqa: PLR0913
    images: Annotated[list[Path], typer.Argument(help="image files, or folders of them")],
    query: Query = None,
    choices: Choices = None,
    reference: Reference = None,
    compare: Compare = None,
    box: Box = None,
    mask: Mask = None,
    model: Model = None,
    backends: Backends = None,
    cost_usd: Cost = None,
    time_limit: Seconds = None,
    journal: Journal = None,
    out: Out = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Assess images: grade, distortions, map, or the answer to a question.

    Example: proveout iqa assess shots --out quality.html

    Example: proveout iqa assess one.jpg --compare two.jpg --query 'Which is sharper?'

    Example: proveout iqa assess photo.jpg --box 40,60,200,100 --query 'Is it noisy?'
    """
    flags: dict[str, Any] = {
        "model.name": model,
        "budget.cost_usd": cost_usd,
        "budget.seconds": time_limit,
        "journal.path": journal and str(journal),
        **roles_of(backends),
    }
    task = {
        "query": query,
        "choices": split_choices(choices),
        "reference": _text(reference),
        "compare": _text(compare),
        "box": box,
        "mask": _text(mask),
    }
    pictures = pictures_at(images)
    _check_out(out, len(pictures))
    with workspace(flags) as opened, stoppable(opened), resumable():
        finished, failed = _each(opened, pictures, task, quiet=quiet)
        _show(opened, finished, failed, as_json=json, quiet=quiet)
        _write(opened, finished, out)
    if failed:
        raise typer.Exit(2)
    if not all(run.outcome and run.outcome.accepted for run in finished):
        raise typer.Exit(1)


def _each(
    opened: "Workspace", images: list[Path], task: dict[str, Any], *, quiet: bool
) -> tuple[list[Run], list[dict[str, Any]]]:
    """One run per image; among several, a bad file is told and the others go on."""
    from rich.progress import track

    finished: list[Run] = []
    failed: list[dict[str, Any]] = []
    alone = len(images) == 1
    hidden = alone or quiet or not stderr().is_terminal
    for image in track(images, "images", console=stderr(), disable=hidden):
        try:
            with progress(opened.settings.budget.rounds, quiet=True) as watch:
                finished.append(_one(opened, {**task, "image": str(image)}, watch))
        except ProveoutError as error:
            if alone:
                raise
            failed.append({"image": str(image), "error": error.message, "hint": error.hint})
            told = str(error)
            say(told if told.startswith(str(image)) else f"{image}: {told}", style="red")
    return finished, failed


def split_choices(text: str | None) -> list[str]:
    """Options as one string: separated by semicolons or lines."""
    if not text:
        return []
    return [part.strip() for part in text.replace("\n", ";").split(";") if part.strip()]


def roles_of(backends: Path | None) -> dict[str, str]:
    """A vision model per agent, as the file says, spread over the agents' roles."""
    if backends is None:
        return {}
    from proveout.apps.iqa.roles import AGENT_ROLES
    from proveout.apps.iqa.vlm_client import load_backends

    return {
        f"model.roles.{role.name}": config.spec
        for agent, config in load_backends(backends).items()
        for role in AGENT_ROLES[agent]
    }


def _one(opened: "Workspace", fields: dict[str, Any], watch: Any) -> Run:
    from proveout import apps

    app = apps.find("iqa")
    task = opened.task(app, {name: value for name, value in fields.items() if value})
    demand_pictures(task)
    return opened.start(app, task, watch=watch)


def _show(
    opened: "Workspace",
    finished: list[Run],
    failed: list[dict[str, Any]],
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    rows = [answer_of(run) for run in finished]
    if as_json:
        emit(rows[0] if len(rows) == 1 and not failed else [*rows, *failed])
        return
    from proveout.report.terminal import show_panel

    for run, row in zip(finished, rows, strict=True):
        stdout().print(_line(row), markup=False)
        if not quiet and len(finished) == 1:
            for panel in opened.panels(run):
                if panel.kind != "image":
                    show_panel(panel, stdout(), opened.journal.get)


def _line(row: dict[str, Any]) -> str:
    """Picture, answer and score; of both where two are compared."""
    other, score = row.get("compared_with"), row.get("quality_score")
    names = f"{row['image']} and {other['image']}" if other else row["image"]
    grade = "" if score is None else f"{score:.2f} of 5, {row['level']}"
    if other and score is not None:
        grade = f"{score:.2f} and {other['quality_score']:.2f} of 5"
    return f"{names}: {row['final_answer']}  {grade}"


def _write(opened: "Workspace", finished: list[Run], out: Path | None) -> None:
    from proveout.report.export import write
    from proveout.report.view import page_of

    if out is None:
        return
    if out.suffix.lower() in TABLES:
        write_table([answer_of(run) for run in finished], out)
    elif len(finished) == 1:
        run = finished[0]
        page = page_of(run, opened.panels(run), opened.chain_state(run.id))
        write(page, out, opened.journal.get)
    else:
        from proveout.apps.iqa.pictures import thumbnail

        write(summary_page(finished), out, lambda blob: thumbnail(opened.journal.get(blob)))
    say(f"report: {out}")


def _check_out(out: Path | None, count: int) -> None:
    if out is None:
        return
    from proveout.report.export import format_of

    if out.is_dir():
        message = f"{out} is a folder"
        hint = f"name a file in it: {out / ('quality.html' if count > 1 else 'report.html')}"
        raise UsageError(message, hint=hint)
    if out.suffix.lower() not in TABLES:
        format_of(out)


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)

"""`proveout mle check`: a linter for data leakage in scripts and notebooks."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proveout.cli.output import emit, say, send
from proveout.kernel.errors import UsageError

if TYPE_CHECKING:
    from proveout.apps.mle.leakage import Report

    Look = Callable[[str, str], Report]

SUFFIXES = (".py", ".ipynb")
LEAK, UNJUDGED = 1, 3
SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages"})

Files = Annotated[list[Path], typer.Argument(help="scripts, notebooks, or folders of them")]
Json = Annotated[bool, typer.Option("--json", help="the findings as JSON on stdout")]
Sarif = Annotated[bool, typer.Option("--sarif", help="SARIF 2.1.0, for code scanning")]
Github = Annotated[bool, typer.Option("--github", help="annotations for a GitHub workflow")]
Fix = Annotated[bool, typer.Option("--fix", help="write repairs that are certain to the files")]
Diff = Annotated[bool, typer.Option("--diff", help="show those repairs as a diff; change nothing")]
Dynamic = Annotated[
    bool, typer.Option("--dynamic", help="also run each file in the sandbox on changed data")
]
Data = Annotated[Path | None, typer.Option("--data", help="with --dynamic: the folder of tables")]
Target = Annotated[str, typer.Option("--target", help="with --dynamic: the column to predict")]
Probe = Annotated[
    list[str],
    typer.Option("--probe", help="with --dynamic: only dependence, labels, oracle, twins"),
]
Seconds = Annotated[
    float, typer.Option("--seconds", help="with --dynamic: for all runs of one file", min=1)
]
Html = Annotated[Path | None, typer.Option("--html", help="also write a page with all findings")]


def add(group: typer.Typer) -> None:
    """Put the command beside the app's `run`."""
    group.command("check")(check)


def check(  # noqa: PLR0913
    files: Files,
    json: Json = False,
    sarif: Sarif = False,
    github: Github = False,
    fix: Fix = False,
    diff: Diff = False,
    html: Html = None,
    dynamic: Dynamic = False,
    data: Data = None,
    target: Target = "",
    probe: Probe = [],  # noqa: B006 - the framework copies it
    seconds: Seconds = 300.0,
) -> None:
    """Find data leakage by following the rows through a program, and by running it if asked.

    Without --dynamic nothing is executed. With it, each file is run in the sandbox on a copy of
    the data, again and again with held-out rows changed; what running refutes does not count.

    Ends with 0 if no leak was found, 1 if one was, 3 if a file could not be judged.

    Example: proveout mle check train.py notebooks/

    Example: proveout mle check train.py --diff

    Example: proveout mle check train.py --dynamic --data input/
    """
    if sum((json, sarif, github)) > 1:
        message = "--json, --sarif and --github exclude each other"
        raise UsageError(message, hint="choose one")
    if fix and diff:
        message = "--fix writes what --diff only shows"
        raise UsageError(message, hint="choose one")
    with _examiner(dynamic, data, target, probe, seconds) as look:
        reports = [_examined(path, look, fix=fix, diff=diff) for path in _found(files)]
    _show(reports, as_json=json, as_sarif=sarif, as_github=github, quiet=diff)
    if html is not None:
        from proveout.apps.mle.leakage.formats import as_html

        _write(html, as_html(reports))
        say(f"report: {html}")
    if any(report.leaks for report in reports):
        raise typer.Exit(LEAK)
    if any(report.unreadable for report in reports):
        raise typer.Exit(UNJUDGED)


def _found(files: list[Path]) -> Iterator[Path]:
    for path in files:
        if path.is_dir():
            inside = (one for one in sorted(path.rglob("*")) if one.suffix in SUFFIXES)
            yield from (one for one in inside if one.is_file() and not _is_hidden(one, path))
        elif path.is_file():
            yield path
        else:
            message = f"there is no file {path}"
            raise UsageError(message, hint="name scripts, notebooks or folders")


def _is_hidden(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts
    return any(part in SKIPPED or part.startswith(".") for part in parts)


@contextmanager
def _examiner(
    dynamic: bool, data: Path | None, target: str, probes: list[str], seconds: float
) -> "Iterator[Look]":
    """How a file is judged: read, or read and run."""
    from proveout.apps.mle.leakage import examine

    if not dynamic:
        if data is not None or target or probes:
            message = "--data, --target and --probe are for --dynamic"
            raise UsageError(message, hint="add --dynamic to run the files")
        yield lambda source, name: examine(source, filename=name)
        return
    if data is None:
        message = "--dynamic needs the data that the files read"
        raise UsageError(message, hint="add --data and the folder that holds the tables")
    from proveout.apps.mle.leakage import dynamic as running
    from proveout.runtime import SandboxDoor
    from proveout.settings import load

    wrong = [name for name in probes if name not in running.PROBES]
    if wrong:
        message = f"there is no probe {wrong[0]!r}"
        raise UsageError(message, hint=f"known: {', '.join(running.PROBES)}")
    folder = running.read_folder(data)
    chosen = tuple(name for name in running.PROBES if not probes or name in probes)
    with closing(SandboxDoor(load().settings.sandbox)()) as sandbox:
        means = running.Means(sandbox, seconds=seconds, target=target, probes=chosen)
        yield lambda source, name: running.examine_by_running(source, folder, means, filename=name)


def _examined(path: Path, look: "Look", *, fix: bool, diff: bool) -> "Report":
    from proveout.apps.mle.leakage import difference, examine, repair

    source = _read(path)
    report = look(source, str(path))
    if not (fix or diff) or not report.leaks:
        return report
    # A repair is certain if reading it again shows so: it starts from what reading shows.
    repaired = repair(source, examine(source, filename=str(path)))
    if repaired is None:
        say(f"{path}: no repair is certain")
        return report
    if diff:
        send(difference(source, repaired, str(path)))
        return report
    _write(path, repaired)
    say(f"{path}: repaired")
    return look(repaired, str(path))


def _read(path: Path) -> str:
    try:
        # Line ends stay as they are, so that a repaired file differs only where it was repaired.
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path} is not a text in UTF-8"
        raise UsageError(message) from error
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise UsageError(message) from error


def _write(path: Path, text: str) -> None:
    try:
        path.write_bytes(text.encode())
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise UsageError(message) from error


def _show(
    reports: list["Report"], *, as_json: bool, as_sarif: bool, as_github: bool, quiet: bool
) -> None:
    from proveout import __version__
    from proveout.apps.mle.leakage import formats

    if as_json:
        emit([formats.as_data(report) for report in reports])
    elif as_sarif:
        emit(formats.as_sarif(reports, __version__))
    elif as_github:
        for report in reports:
            text = formats.as_github(report)
            send(f"{text}\n" if text else "")
            say(formats.summary(report))
    elif quiet:
        for report in reports:
            say(formats.summary(report))
    else:
        for report in reports:
            send(formats.as_text(report) + "\n")

"""`proveout`: puts the commands together and turns errors into sentences and exit codes.

0 accepted · 1 judged, not accepted · 2 usage · 3 could not judge · 130 interrupted, resumable.
"""

import logging
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

import proveout
from proveout import apps
from proveout.cli import config, doctor, lessons, mcp, prompts, running, runs, serve
from proveout.cli.output import complain, debugging, give_up_unwritten, say, stderr
from proveout.kernel.errors import Interrupted, PrerequisiteError, ProveoutError, UsageError

INTERRUPTED = 130


def build() -> typer.Typer:
    """The whole command line, apps included."""
    root = typer.Typer(
        name="proveout",
        help="Models propose. Code proves.\n\nFirst: proveout demo",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    root.callback()(_root)
    root.command()(running.demo)
    for app in apps.installed().values():
        root.add_typer(running.command_of(app), name=app.name)
    root.command()(running.resume)
    root.add_typer(runs.app, name="runs")
    root.command()(runs.replay)
    root.command()(runs.report)
    root.add_typer(prompts.app, name="prompts")
    root.add_typer(lessons.app, name="lessons")
    root.add_typer(config.app, name="config")
    root.command("apps")(config.list_apps)
    root.command()(serve.serve)
    root.command()(mcp.mcp)
    root.command()(doctor.doctor)
    return root


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(proveout.__version__)
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="print the version and stop"
        ),
    ] = False,
) -> None:
    del version


def main() -> NoReturn:
    """The console script."""
    try:
        command(sys.argv[1:])
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:
            # A check in a thread cannot be stopped; whoever asked to stop need not wait for it.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(INTERRUPTED)
        raise


def command(given: Sequence[str]) -> NoReturn:
    """Run one command and leave with its exit code."""
    _open_streams()
    _show_warnings()
    as_json = "--json" in given
    try:
        # Typer explains wrong usage in words; where data was asked for, it is data.
        sys.exit(build()(list(given), prog_name="proveout", standalone_mode=not as_json))
    except typer.TyperException as error:
        complain(UsageError(error.format_message()), as_json=as_json)
        sys.exit(error.exit_code)
    except ProveoutError as error:
        complain(error, as_json=as_json)
        sys.exit(error.exit_code)
    except (Interrupted, KeyboardInterrupt):
        say("interrupted; go on with: proveout resume last")
        sys.exit(INTERRUPTED)
    except OSError as error:
        complain(PrerequisiteError(str(error)), as_json=as_json)
        give_up_unwritten()
        sys.exit(3)
    except Exception as error:  # noqa: BLE001 - the last door: a person gets a sentence
        if debugging():
            stderr().print(traceback.format_exc(), markup=False)
        message = f"internal error: {type(error).__name__}: {error}"
        hint = "this is a defect of proveout; PROVEOUT_DEBUG=1 shows where"
        complain(ProveoutError(message, hint=hint, code="internal"), as_json=as_json)
        sys.exit(3)


def _show_warnings() -> None:
    """What developers read in their logs, a person at a terminal reads here."""
    if logging.lastResort is not None:
        logging.getLogger("proveout.adapters.telemetry").addHandler(logging.lastResort)


def _open_streams() -> None:
    """A stream that was closed before we began would be missing, not silent."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r+", encoding="utf-8"))  # noqa: SIM115

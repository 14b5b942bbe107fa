"""`proveout`: puts the commands together and turns errors into sentences and exit codes.

0 accepted · 1 judged, not accepted · 2 usage · 3 could not judge · 130 interrupted, resumable.
"""

import os
import sys
import traceback
from typing import Annotated

import typer

import proveout
from proveout import apps
from proveout.cli import config, doctor, lessons, prompts, running, runs
from proveout.cli.output import complain, debugging, say, stderr
from proveout.kernel.errors import Interrupted, ProveoutError


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
    root.command()(doctor.doctor)
    return root


def _root(
    version: Annotated[bool, typer.Option("--version", help="print the version and stop")] = False,
) -> None:
    if version:
        typer.echo(proveout.__version__)
        raise typer.Exit


def main() -> None:
    """The console script."""
    as_json = "--json" in sys.argv
    try:
        build()()
    except ProveoutError as error:
        complain(error, as_json=as_json)
        sys.exit(error.exit_code)
    except (Interrupted, KeyboardInterrupt):
        say("interrupted; go on with: proveout resume last")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output went away; what it wanted, it has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - the last door: a person gets a sentence
        if debugging():
            stderr().print(traceback.format_exc(), markup=False)
        message = f"internal error: {type(error).__name__}: {error}"
        hint = "this is a defect of proveout; PROVEOUT_DEBUG=1 shows where"
        complain(ProveoutError(message, hint=hint, code="internal"), as_json=as_json)
        sys.exit(3)

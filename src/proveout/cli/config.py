"""`proveout config` and `proveout apps`."""

from typing import Annotated

import typer
from rich.table import Table

from proveout.cli.output import emit, stdout

app = typer.Typer(help="Show settings.", no_args_is_help=True)
app.callback()(lambda: None)


@app.command("show")
def show(
    origin: Annotated[bool, typer.Option("--origin", help="where each value came from")] = False,
    json: Annotated[bool, typer.Option("--json", help="as JSON on stdout")] = False,
) -> None:
    """Print every setting in force.

    Example: proveout config show --origin
    """
    from proveout.settings import load

    rows = load().rows()
    if json:
        emit({name: {"value": value, "origin": source} for name, value, source in rows})
        return
    table = Table("setting", "value", box=None)
    if origin:
        # A path that is cut off names no file.
        table.add_column("origin", overflow="fold")
    for name, value, source in rows:
        table.add_row(name, str(value), *([source] if origin else []))
    stdout().print(table)


def list_apps(json: Annotated[bool, typer.Option("--json", help="as JSON")] = False) -> None:
    """List the installed apps.

    Example: proveout apps
    """
    from proveout import apps

    found = apps.installed().values()
    if json:
        emit(
            [
                {"app": one.name, "summary": one.summary, "findings": dict(one.findings)}
                for one in found
            ]
        )
        return
    table = Table("app", "summary", box=None)
    for one in found:
        table.add_row(one.name, one.summary)
    stdout().print(table)

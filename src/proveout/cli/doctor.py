"""`proveout doctor`: what works on this machine, and the command that mends what does not."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from proveout.cli.output import emit, stdout
from proveout.examining import examine


def doctor(json: Annotated[bool, typer.Option("--json", help="as JSON on stdout")] = False) -> None:
    """Examine the installation; never touches the network. Exit 3 if something is broken.

    Example: proveout doctor
    """
    rows = list(examine())
    if json:
        emit([row._asdict() for row in rows])
    else:
        table = Table("", "what", "found", "to mend it", box=None)
        colours = {"ok": "green", "missing": "yellow", "broken": "red"}
        for row in rows:
            mark = f"[{colours[row.state]}]{row.state}[/]"
            table.add_row(mark, escape(row.name), escape(row.found), escape(row.fix))
        stdout().print(table)
    if any(row.state == "broken" for row in rows):
        raise typer.Exit(3)

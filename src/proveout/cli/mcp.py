"""`proveout mcp`: our apps as tools for other agents."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from proveout.cli.output import say
from proveout.kernel.errors import PrerequisiteError

TOKEN = "PROVEOUT_SERVER_TOKEN"


def mcp(  # noqa: PLR0913
    http: Annotated[
        bool, typer.Option("--http", help="streamable HTTP instead of stdin and stdout")
    ] = False,
    host: Annotated[
        str, typer.Option(help="address to listen on; one that others reach needs a token")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 takes a free one")] = 8766,
    token: Annotated[
        str, typer.Option(envvar=TOKEN, help="what callers over HTTP must present")
    ] = "",
    root: Annotated[
        Path | None, typer.Option(help="the folder that paths must stay in; this one if omitted")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="who proposes unless a call says otherwise")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="runs at a time")] = 2,
    journal: Annotated[Path | None, typer.Option(help="another journal file")] = None,
) -> None:
    """Serve the tools of this machine to other agents (Model Context Protocol).

    Example: proveout mcp

    Example: proveout mcp --http --port 8766
    """
    from proveout.settings import load

    try:
        from proveout.server.access import Access
        from proveout.server.desk import Crew, Desk
        from proveout.server.mcp import PATH, serve_http, serve_stdio
        from proveout.server.serving import listen
    except ModuleNotFoundError as missing:
        message = f"the MCP server needs the package {missing.name!r}"
        raise PrerequisiteError(message, hint="pip install 'proveout[server]'") from missing
    # Made even without HTTP: a mistake in the flags is told the same way.
    access = Access(host, port, token, (root or Path.cwd()).expanduser())
    loaded = load({"model.name": model, "journal.path": journal and str(journal.resolve())})
    desk = Desk(loaded, root=access.root, crew=Crew(runs=0, quick=workers))
    if not http:
        serve_stdio(desk)
        return
    listening = listen(access)
    # Whoever reads the line below may connect at once.
    listening.listen()
    access = replace(access, port=listening.getsockname()[1])
    say(f"listening on {access.base_url}{PATH}; stop with Ctrl-C")
    serve_http(desk, access, listening)

"""`proveout serve`: everything that the command line does, in a browser and over HTTP."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from proveout.cli.output import say
from proveout.kernel.errors import PrerequisiteError


def serve(  # noqa: PLR0913
    host: Annotated[
        str, typer.Option(help="address to listen on; one that others reach needs a token")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 takes a free one")] = 8700,
    token: Annotated[
        str,
        typer.Option(envvar="PROVEOUT_SERVER_TOKEN", help="what callers must present"),
    ] = "",
    root: Annotated[
        Path | None, typer.Option(help="the folder that tasks may read; this one if omitted")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="runs at a time")] = 2,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="who proposes unless a run says otherwise")
    ] = None,
    journal: Annotated[Path | None, typer.Option(help="another journal file")] = None,
) -> None:
    """Serve pages and an HTTP API until Ctrl-C; runs that go on then can be resumed.

    Example: proveout serve --root ~/data
    """
    from proveout.settings import load

    try:
        from proveout.server.access import Access, Limits
        from proveout.server.app import create_app
        from proveout.server.serving import listen
        from proveout.server.serving import serve as serve_on
    except ModuleNotFoundError as missing:
        message = f"the server needs the package {missing.name!r}"
        raise PrerequisiteError(message, hint="pip install 'proveout[server]'") from missing
    folder = (root or Path.cwd()).expanduser()
    access = Access(host, port, token, folder, Limits(workers=workers))
    loaded = load({"model.name": model, "journal.path": journal and str(journal.resolve())})
    listening = listen(access)
    access = replace(access, port=listening.getsockname()[1])
    app = create_app(loaded, access)
    serve_on(app, listening, lambda: say(f"serving {access.base_url}; stop with Ctrl-C"))

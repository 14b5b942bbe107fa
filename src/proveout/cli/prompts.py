"""`proveout prompts`: what is asked of a model, exactly as it would be sent."""

import json as jsonlib
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from proveout.cli.output import emit, send, stdout
from proveout.kernel.errors import UnknownName, UsageError
from proveout.kernel.proposer import Role

app = typer.Typer(help="List prompts and show what would be sent.", no_args_is_help=True)


def complete_prompts(incomplete: str) -> list[str]:
    return [name for name in _roles() if name.startswith(incomplete)]


def _roles() -> dict[str, Role[Any]]:
    from proveout import apps

    found: dict[str, Role[Any]] = {}
    for one in apps.installed().values():
        for role in one.load(one.roles) if one.roles else ():
            found[role.name] = role
    return found


@app.command("list")
def list_prompts(json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """List every role with its return type, its expert and where its prompt comes from.

    Example: proveout prompts list
    """
    folder, roles = _folder(), _roles()
    rows = []
    for name in folder.names():
        role = roles.get(name)
        rows.append(
            {
                "prompt": name,
                "returns": role.returns.__name__ if role else "",
                "expert": bool(role and role.expert),
                "source": "user" if folder.read(name).overridden else "app",
                "description": role.description if role else "",
            }
        )
    if json:
        emit(rows)
        return
    table = Table("prompt", "returns", "expert", "source", "description", box=None)
    for row in rows:
        expert = "yes" if row["expert"] else "no"
        columns = (row["prompt"], row["returns"], expert, row["source"], row["description"])
        table.add_row(*map(str, columns))
    stdout().print(table)


@app.command("render")
def render_prompt(
    name: Annotated[str, typer.Argument(help="app/role", autocompletion=complete_prompts)],
    variables: Annotated[
        Path | None, typer.Option(help="a JSON file with variables; else the role's examples")
    ] = None,
    json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Print a prompt exactly as it would be sent.

    Example: proveout prompts render pattern/propose
    """
    roles = _roles()
    if name not in roles:
        raise UnknownName(name, noun="prompt", known=roles)
    role = roles[name]
    values = {**role.examples, **(_read(variables) if variables else {})}
    rendered = _folder().render(name, values, role.schema)
    if json:
        emit({"prompt": name, "template": rendered.template_id, "text": rendered.text})
    else:
        send(rendered.text)


def _folder() -> Any:
    from proveout.runtime import prompt_folder
    from proveout.settings import load

    return prompt_folder(load().settings.prompts.folder)


def _read(path: Path) -> dict[str, Any]:
    try:
        values = jsonlib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"{path} cannot be read: {error}"
        raise UsageError(message) from error
    if not isinstance(values, dict):
        message = f"{path} must hold a JSON object"
        raise UsageError(message)
    return values

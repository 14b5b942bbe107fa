"""Writes the reference pages that the program tells best: `python docs/generate.py`.

`cli.md` is read off the command line as it is built, `settings.md` off the settings' types and the
texts under their fields, `findings.md` off what the apps declare, `leakage.md` off the rules and
their examples, `plan.schema.json` off the type of the solver's plan. A test compares the files with
what this script would write.
"""

import ast
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer
from pydantic import BaseModel

from proveout import apps
from proveout.apps.mle.leakage import codes, examples
from proveout.apps.solver import plan
from proveout.cli.main import build
from proveout.kernel.budget import Budget
from proveout.settings import OWN_VARIABLES, Settings

FOLDER = Path(__file__).parent / "reference"
NOTICE = "<!-- Written by docs/generate.py; change the program, not this page. -->"

BUDGET_NOTES: Mapping[str, str] = {
    "rounds": "Most rounds, of all loops of a run together.",
    "calls": "Most model calls.",
    "tokens": "Most tokens, sent and received.",
    "cost_usd": "Most money, in US dollars. A model without a known price is bounded by tokens.",
    "seconds": "Most seconds of work, over all sessions of a run.",
}
VARIABLE_NOTES: Mapping[str, str] = {
    "PROVEOUT_CONFIG": "Path of the user's settings file, instead of the usual place.",
    "PROVEOUT_DEBUG": "If set to anything, an internal error shows its traceback.",
    "PROVEOUT_HOME": "Folder for journal and locks, instead of the user's data folder.",
    "PROVEOUT_LOCAL_MODEL": "Path of the GGUF file that a plain `--model local` stands for.",
    "PROVEOUT_SERVER_TOKEN": "What callers of `serve` and `mcp` must present, as with `--token`.",
}


KERNEL_FINDINGS: Mapping[str, str] = {
    "proposal.malformed": "The reply holds no value that fits the return type.",
    "proposal.truncated": "The reply was cut off by a token limit before it was complete.",
    "proposal.empty": "The reply was empty.",
    "proposal.refused": "The model refused to answer.",
    "proposal.oversized": "The reply exceeded the size limit and was cut off.",
    "proposal.score_not_finite": "A check returned a score that is infinite or not a number.",
}
FINDINGS_HEAD = f"""\
# Findings

{NOTICE}

A finding is one reason against a proposal: a stable dotted code, a message, where it is, a
severity, a hint. A verdict is accepted if no finding has severity `error`; `warning` and `info` are
shown and do not reject. Codes are never renamed. Messages may quote data; hints never do, because
they become lessons.

## Of the kernel

These are found before any check of an app runs, or from what the checks return.

| code | meaning |
|---|---|"""
FINDINGS_FOOT = """
The codes of apps from other packages: `proveout apps --json`.
"""
CLI_HEAD = f"""\
# Command line

{NOTICE}

Data goes to stdout, everything else to stderr. `--json` prints one JSON value; an error is then
`{{"error": {{"code", "message", "hint"}}}}` on stdout. [Exit codes](exit-codes.md).

An app's command has one flag per field of its task, and the common flags of `run` below. The
commands of apps from other packages appear in `proveout --help` on your machine.
"""
SETTINGS_HEAD = f"""\
# Settings

{NOTICE}

Later wins: defaults, the user's file (`~/.config/proveout/config.toml`), `[tool.proveout]` in
`pyproject.toml`, `proveout.toml` in the current folder, `PROVEOUT_*` variables, flags. Unknown
names are errors. `proveout config show --origin` tells where each value came from.

| setting | variable | type | default | |
|---|---|---|---|---|"""
SETTINGS_FOOT = """
Keys of providers are read from the providers' own variables (see [models](../models.md)) and are
never written to the journal."""


def cli_page() -> str:
    root = typer.main.get_command(build())
    lines = [CLI_HEAD]
    for path, command in sorted(_commands(root, ("proveout",)), key=lambda found: found[0]):
        lines += [f"## {' '.join(path)}", "", *_help(command), *_parameters(command)]
    return "\n".join(lines).rstrip() + "\n"


def command_paths() -> dict[tuple[str, ...], set[str]]:
    """Every command of the product with the flags it knows."""
    root = typer.main.get_command(build())
    return {
        path: {name for parameter in command.params for name in _names(parameter)} | {"--help"}
        for path, command in _commands(root, ("proveout",))
    }


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Commands that do something, without those of apps from elsewhere."""
    foreign = {
        name for name, app in apps.installed().items() if not app.task.startswith("proveout.")
    }
    inner: Mapping[str, Any] = getattr(command, "commands", {})
    if not inner or command.params and path == ("proveout",):
        yield path, command
    for name, one in inner.items():
        if not (path == ("proveout",) and name in foreign):
            yield from _commands(one, (*path, name))


def _help(command: Any) -> list[str]:
    text = inspect.cleandoc(command.help or "")
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        joined = " ".join(paragraph.split())
        if joined.startswith("Example: "):
            lines += ["```console norun", f"$ {joined.removeprefix('Example: ')}", "```", ""]
        elif joined:
            lines += [joined, ""]
    return lines


def _parameters(command: Any) -> list[str]:
    shown = [p for p in command.params if not getattr(p, "hidden", False) and p.name != "help"]
    if not shown:
        return []
    rows = ["| parameter | type | default | |", "|---|---|---|---|"]
    for parameter in shown:
        cells = (_spelled(parameter), _type(parameter), _default(parameter), parameter.help or "")
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return [*rows, ""]


def _names(parameter: Any) -> tuple[str, ...]:
    if parameter.param_type_name == "argument":
        return ()
    return (*parameter.opts, *parameter.secondary_opts)


def _spelled(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.name.upper()}`"
    return ", ".join(f"`{name}`" for name in _names(parameter))


def _type(parameter: Any) -> str:
    if getattr(parameter, "is_flag", False):
        return "flag"
    kind = parameter.type_descriptor.annotation
    name = getattr(kind, "__name__", str(kind)).lower()
    return name + (" (repeatable)" if parameter.multiple else "")


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    default = parameter.default
    if default is None or default is False or callable(default) or default == "":
        return ""
    return f"`{default}`"


def settings_page() -> str:
    lines = [SETTINGS_HEAD]
    for name, field, text in settings():
        variable = f"`PROVEOUT_{name.upper().replace('.', '__')}`"
        default = field.get_default(call_default_factory=True)
        cells = (f"`{name}`", variable, _bounded(field), f"`{default!r}`", text)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    lines += ["", "## Variables that are not settings", "", "| variable | |", "|---|---|"]
    lines += [f"| `{name}` | {VARIABLE_NOTES[name]} |" for name in sorted(OWN_VARIABLES)]
    lines.append(SETTINGS_FOOT)
    return "\n".join(lines) + "\n"


def settings() -> Iterator[tuple[str, Any, str]]:
    """Every setting by its dotted name, with its field and its explanation."""
    for section, field in Settings.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            notes = BUDGET_NOTES if kind is Budget else _notes(kind)
            for name, inner in kind.model_fields.items():
                yield f"{section}.{name}", inner, notes.get(name, "")
        else:
            yield section, field, _notes(Settings)[section]


def _notes(kind: type[BaseModel]) -> dict[str, str]:
    """The string under each field."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    notes = {"concurrency": "Model calls in flight at once.", "workers": "Workers of the engine."}
    name = ""
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif name and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            notes[name] = " ".join(str(node.value.value).split())
            name = ""
    return notes


def _bounded(field: Any) -> str:
    if get_origin(field.annotation) is Literal:
        return ", ".join(map(str, get_args(field.annotation)))
    kind = getattr(field.annotation, "__name__", str(field.annotation))
    kind = str(field.annotation) if kind in ("dict", "list", "tuple") else kind
    bounds = {
        name: getattr(item, name)
        for item in field.metadata
        for name in ("ge", "le")
        if hasattr(item, name)
    }
    if "ge" in bounds and "le" in bounds:
        kind += f", {bounds['ge']:,} to {bounds['le']:,}"
    return kind.replace("typing.", "")


def findings_page() -> str:
    lines = [FINDINGS_HEAD, *(f"| `{code}` | {text} |" for code, text in KERNEL_FINDINGS.items())]
    for app in apps.installed().values():
        if app.task.startswith("proveout."):
            lines += ["", f"## Of the app `{app.name}`", "", app.summary, "", "| code | meaning |"]
            lines += [
                "|---|---|",
                *(f"| `{code}` | {text} |" for code, text in app.findings.items()),
            ]
    return "\n".join([*lines, FINDINGS_FOOT])


def plan_schema() -> str:
    """The plan's JSON schema, with the texts that stand under the fields of its types."""
    schema = plan.Plan.model_json_schema()
    for name, described in {"Plan": schema, **schema["$defs"]}.items():
        if "properties" not in described:
            continue
        described["description"] = " ".join(described["description"].split())
        for field, note in _notes(getattr(plan, name)).items():
            if field in described["properties"]:
                described["properties"][field]["description"] = note
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "Written by docs/generate.py; change the program, not this file.",
    }
    return json.dumps({**head, **schema}, indent=2, ensure_ascii=False) + "\n"


LEAKAGE_HEAD = """# Leakage: the rules

<!-- Written by docs/generate.py; change the program, not this page. -->

What `proveout mle check` looks for. Harm says how much a broken rule usually flatters a score.
`# proveout: ignore[CODE] reason` at the line sets a finding aside. Each finding names its line, the
way the rows took there, and how sure it is: *certain*, *likely*, or *suspect*.
[Repairs](../guides/leakage-repairs.md) and [proof by running](../guides/leakage-by-running.md) have
guides of their own.

Every example below begins with these lines:

```python norun
{head}```
"""
BY_RUNNING = """Found by running the program with `--dynamic --data DIR`, not by reading it; the
[guide](../guides/leakage-by-running.md) tells how.
"""


def leakage_page() -> str:
    """Each rule with its meaning and, where reading finds it, a program and its honest twin."""
    lines = [LEAKAGE_HEAD.format(head=examples.HEAD)]
    for code, rule in codes.RULES.items():
        lines += [f"## `{code}`", "", f"{rule.says.capitalize()}. Harm: {rule.harm}.", ""]
        lines += [f"What to do: {rule.hint}.", ""]
        shown = examples.EXAMPLES.get(code)
        if shown is not None:
            lines += [f"```python norun\n{shown.leaking}```", "", "Honest:", ""]
            lines += [f"```python norun\n{shown.honest}```", ""]
        elif code != "leak.unreadable":
            lines += [BY_RUNNING]
    return "\n".join(lines).rstrip() + "\n"


PAGES = {
    "cli.md": cli_page,
    "findings.md": findings_page,
    "leakage.md": leakage_page,
    "plan.schema.json": plan_schema,
    "settings.md": settings_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
        sys.stderr.write(f"written: {name}\n")

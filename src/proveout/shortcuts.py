"""The apps as single calls, for notebooks and scripts.

    import proveout
    proveout.assess("photo.jpg")
    proveout.check("train.py")

Assessing, solving and training are runs in the journal, like those of the command line.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proveout import apps, settings
from proveout.api import Result, run_with
from proveout.kernel.errors import UsageError
from proveout.kernel.panels import Code, Page, Panel, Section, Text
from proveout.report.export import write
from proveout.report.notebook import Glance

if TYPE_CHECKING:
    from proveout.apps.iqa.intake import Source
    from proveout.apps.mle.leakage import Leak, Report

MOST_PICTURES = 200
"""Pictures that were given as bytes or arrays and are kept; the oldest make room."""
MOST_SHOWN = 20


def assess(  # noqa: PLR0913 - what one can ask about a picture
    image: "Source",
    query: str = "",
    *,
    choices: Sequence[str] = (),
    reference: "Source | None" = None,
    compare: "Source | None" = None,
    box: Sequence[float] | str | None = None,
    mask: "Source | None" = None,
    model: str | None = None,
) -> Result:
    """Grade a picture, or answer a question about it: a path, bytes, an array or a Pillow image."""
    app = apps.find("iqa")
    given = {"image": image, "reference": reference, "compare": compare, "mask": mask}
    fields: dict[str, Any] = {
        name: _path(source) for name, source in given.items() if source is not None
    }
    fields |= {"choices": tuple(choices), "box": box} | ({"query": query} if query else {})
    # A picture that cannot be read is told before a run is left behind.
    demand = app.load("proveout.apps.iqa.answers:demand_pictures")
    return run_with("iqa", fields, {"model.name": model}, before=demand)


def solve(
    text: str,
    task_url: str,
    *,
    service_url: str = "",
    dry_run: bool = False,
    model: str | None = None,
) -> Result:
    """Solve a business request over the API that it belongs to, under the company's rules."""
    fields = {
        "text": text,
        "task_url": task_url,
        "service_url": service_url,
        "rehearse": dry_run,
    }
    return run_with("solver", fields, {"model.name": model})


def train(  # noqa: PLR0913
    folder: str | Path,
    out: str | Path | None = None,
    *,
    seconds: float = 300.0,
    smoke: bool = False,
    seed: int = 0,
    model: str | None = None,
) -> Result:
    """Find the best submission for a folder of tables; written to `out`, beside the folder."""
    place = Path(folder).expanduser().resolve()
    target = Path(out).expanduser().resolve() if out else place.with_name(f"{place.name}-out")
    app = apps.find("mle")
    cores = app.load("proveout.apps.mle.search.searching:usable_cores")
    flags = {
        "model.name": model,
        "budget.rounds": app.bounds["rounds"],
        "budget.seconds": seconds,
        "engine.name": "threads",
        "engine.workers": cores(),
    }
    fields = {"folder": str(place), "out": str(target), "smoke": smoke}
    return run_with("mle", fields, flags, seed=seed)


@dataclass(frozen=True)
class Leakage:
    """What an examination found; shows itself in a notebook."""

    report: "Report"
    page: Page = field(repr=False)

    @property
    def leaks(self) -> "tuple[Leak, ...]":
        return self.report.leaks

    def save(self, path: str | Path) -> Path:
        """Write the report; the ending chooses the format."""
        return write(self.page, Path(path))

    def _repr_html_(self) -> str:
        return Glance(self.page)._repr_html_()


def check(script: str | Path) -> Leakage:
    """Find data leakage in a script or notebook: a path, or the source itself."""
    examine = apps.find("mle").load("proveout.apps.mle.leakage:examine")
    is_source = isinstance(script, str) and "\n" in script
    name = "script" if is_source else str(script)
    report = examine(str(script) if is_source else _text(Path(script)), filename=name)
    return Leakage(report, _page(report, name))


def _page(report: "Report", name: str) -> Page:
    leaks = len(report.leaks)
    found = f"{leaks} leak{'s' if leaks != 1 else ''}" if leaks else "no leak found"
    panels: list[Panel] = [
        panel for leak in report.findings[:MOST_SHOWN] for panel in _leak_panels(leak)
    ]
    if report.unsure:
        panels.append(Text(title="Not sure", text="\n".join(f"- {it}" for it in report.unsure)))
    return Page(
        title=f"Leakage of {Path(name).name}",
        status="pending" if report.unreadable else "rejected" if leaks else "accepted",
        verdict=f"could not be judged: {report.unreadable}" if report.unreadable else found,
        sections=(Section(title="", panels=tuple(panels)),),
    )


def _leak_panels(leak: "Leak") -> tuple[Panel, Panel]:
    steps = "\n".join(f"- line {step.line}: {step.what}" for step in leak.path)
    told = f"{leak.message}\n\n{steps}\n\n**Do:** {leak.hint}"
    place = f"cell {leak.cell}, line {leak.line}" if leak.cell is not None else f"line {leak.line}"
    return (
        Text(
            title=f"{leak.code}, {place}",
            text=told,
            severity="error" if leak.counts else "info",
            note=f"{leak.confidence}, {leak.harm} harm",
        ),
        Code(title="The statement", text=leak.block, language="python", first_line=leak.line),
    )


def _text(path: Path) -> str:
    try:
        return path.expanduser().read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path} is not a text in UTF-8"
        raise UsageError(message) from error
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise UsageError(message, hint="name a script or a notebook") from error


def _path(source: "Source") -> str:
    """Where the picture is; what has no place yet gets one that later readings will find."""
    if isinstance(source, str | Path):
        return str(source)
    if isinstance(source, bytes | bytearray | memoryview):
        content, ending = bytes(source), ""
    else:
        app = apps.find("iqa")
        load = app.load("proveout.apps.iqa.intake:load")
        png = app.load("proveout.apps.iqa.pictures:png")
        content, ending = png(load(source).rgb), ".png"
    folder = settings.home() / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{hashlib.sha256(content).hexdigest()[:24]}{ending}"
    place.write_bytes(content)
    kept = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in kept[MOST_PICTURES:]:
        old.unlink(missing_ok=True)
    return str(place)

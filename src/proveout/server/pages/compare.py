"""Two runs side by side: figures, score curves, and what they proposed."""

from fastapi import Request
from pydantic import JsonValue

from proveout.kernel.errors import ProveoutError, UsageError
from proveout.kernel.panels import Chart, Diff, Page, Panel, Section, Series
from proveout.kernel.run import Run
from proveout.report.attempt_panels import spelled
from proveout.report.neutral import neutral_page
from proveout.report.view import page_of
from proveout.report.wording import json_text
from proveout.server.desk import Desk
from proveout.server.pages.site import View
from proveout.server.shapes import Comparison, RunFilter

MOST_RECENT = 50
PLACE = "/compare"


class ComparePages:
    """The page, and its form."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def compare(self, request: Request) -> View:
        names = [name for name in request.query_params.getlist("run") if name]
        shown: dict[str, object] = {
            "names": (*names[:2], "", "")[:2],
            "recent": self._desk.rows(RunFilter(limit=MOST_RECENT)).runs,
            "complaint": None,
            "both": (),
            "figures": (),
            "sections": (),
        }
        if len(names) != 2:
            if len(names) > 2:
                shown["complaint"] = UsageError(f"{len(names)} runs were chosen: two are compared.")
            return View("compare.html", "Compare", {"runs": list(names)}, shown, PLACE)
        try:
            one, other = self._desk.read(names[0]), self._desk.read(names[1])
        except UsageError as error:
            return self._refused(shown, error)
        pages = [page_of(run) for run in (one, other)]
        shown |= {
            "names": (one.id, other.id),
            "both": [self._head(run, page) for run, page in zip((one, other), pages, strict=True)],
            "figures": _figures((one, other), (pages[0], pages[1])),
            "sections": neutral_page(Page(title="", sections=_sections(one, other))).sections,
        }

        def comparison() -> Comparison:
            return self._desk.diff(one.id, other.id)

        return View("compare.html", "Compare", comparison, shown, PLACE)

    def _refused(self, shown: dict[str, object], error: ProveoutError) -> View:
        problem: JsonValue = {
            "error": {"code": error.code, "message": error.message, "hint": error.hint}
        }
        return View("compare.html", "Compare", problem, {**shown, "complaint": error}, PLACE, 404)

    def _head(self, run: Run, page: Page) -> dict[str, object]:
        state = self._desk.state(run)
        return {"id": run.id, "title": page.title, "state": state, "verdict": page.verdict}


def _figures(runs: tuple[Run, Run], pages: tuple[Page, Page]) -> list[dict[str, str]]:
    """What can be told in a word, of both."""
    told = [
        {
            "app": run.app,
            "model": run.model,
            "seed": str(run.seed),
            "version": run.version,
            **{fact.name: fact.value for fact in page.facts},
        }
        for run, page in zip(runs, pages, strict=True)
    ]
    names = dict.fromkeys([*told[0], *told[1]])
    return [
        {"name": name, "first": told[0].get(name, "none"), "second": told[1].get(name, "none")}
        for name in names
    ]


def _sections(one: Run, other: Run) -> tuple[Section, ...]:
    made = (
        Section(title="Scores", panels=tuple(_curves(one, other))),
        Section(title="Task", panels=(_diff("Task", json_text(one.task), json_text(other.task)),)),
        Section(title="Verdicts", panels=(_diff("Attempts", _told(one), _told(other)),)),
        Section(title="Answer", panels=tuple(_answers(one, other))),
        Section(title="Best proposal", panels=tuple(_proposals(one, other))),
    )
    return tuple(section for section in made if section.panels)


def _curves(one: Run, other: Run) -> list[Panel]:
    scores = [[_score(run, place) for place in range(len(run.attempts))] for run in (one, other)]
    longest = max(map(len, scores))
    if sum(score is not None for series in scores for score in series) < 2:
        return []
    series = tuple(
        Series(name=name, values=tuple([*values, *[None] * (longest - len(values))]))
        for name, values in zip(("first", "second"), scores, strict=True)
    )
    return [Chart(title="Score over attempts", form="line", series=series, x_label="attempt")]


def _score(run: Run, place: int) -> float | None:
    verdict = run.attempts[place].verdict
    return verdict.score if verdict else None


def _told(run: Run) -> str:
    """Attempts as lines; branches that run side by side fall in any order."""
    lines = []
    for attempt in sorted(run.attempts, key=lambda attempt: (attempt.path, attempt.round)):
        verdict = attempt.verdict
        word = "pending" if verdict is None else "accepted" if verdict.accepted else "rejected"
        codes = sorted({finding.code for finding in verdict.findings}) if verdict else []
        score = "" if verdict is None or verdict.score is None else f" {verdict.score:g}"
        lines.append(" ".join([f"{attempt.key} {word}{score}", *codes]))
    return "\n".join(lines)


def _answers(one: Run, other: Run) -> list[Panel]:
    if one.outcome is None or other.outcome is None:
        return []
    texts = [json_text(run.outcome.answer if run.outcome else None) for run in (one, other)]
    return [_diff("Answer", texts[0], texts[1])]


def _proposals(one: Run, other: Run) -> list[Panel]:
    if one.best is None or other.best is None or one.best.returns != other.best.returns:
        return []
    before, language = spelled(one.best.proposal)
    after, _ = spelled(other.best.proposal)
    return [_diff("Proposal", before, after, language)]


def _diff(title: str, before: str, after: str, language: str = "json") -> Diff:
    return Diff(
        title=title,
        before=before,
        after=after,
        language=language,
        before_name="first",
        after_name="second",
    )

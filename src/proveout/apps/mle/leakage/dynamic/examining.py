"""From source and data to one report: read first, then run."""

import re

from proveout.apps.mle.leakage.dynamic.merging import merged
from proveout.apps.mle.leakage.dynamic.proving import Means, prove
from proveout.apps.mle.leakage.dynamic.tables import Folder
from proveout.apps.mle.leakage.examining import examine, in_cells
from proveout.apps.mle.leakage.notebooks import Notebook, is_notebook, read_notebook
from proveout.apps.mle.leakage.report import Leak, Report

LINE = re.compile(r"\bline (\d+)")


def examine_by_running(source: str, data: Folder, means: Means, *, filename: str = "") -> Report:
    """The static report, judged by runs; a notebook is run as one program, cell after cell."""
    notebook = read_notebook(source) if is_notebook(source, filename) else None
    program = notebook.source if notebook is not None else source
    report = examine(program if notebook is not None else source)
    report = report.model_copy(update={"filename": filename})
    if report.unreadable:
        return report
    judged = merged(report, prove(program, data, means), program)
    return _by_cells(judged, notebook) if notebook is not None else judged


def _by_cells(report: Report, notebook: Notebook) -> Report:
    """Lines that evidence speaks of are lines of cells, too."""

    def told(text: str) -> str:
        return LINE.sub(
            lambda found: "cell {} line {}".format(*notebook.place(int(found[1]))), text
        )

    def retold(leak: Leak) -> Leak:
        message = told(leak.message) if leak.proved == "dynamic" else leak.message
        evidence = tuple(told(text) for text in leak.evidence)
        return leak.model_copy(update={"message": message, "evidence": evidence})

    findings = tuple(retold(leak) for leak in report.findings)
    return in_cells(report.model_copy(update={"findings": findings}), notebook)

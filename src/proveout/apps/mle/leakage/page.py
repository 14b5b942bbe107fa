"""A report as one page: no scripts, nothing fetched, light or dark as the screen is."""

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from textwrap import dedent

from proveout.apps.mle.leakage.report import Leak, Report
from proveout.apps.mle.leakage.wording import how, label, place, summary, trial_lines

CODE = re.compile(r"`([^`]+)`")


def page(reports: Iterable[Report]) -> str:
    listed = list(reports)
    leaks = sum(len(report.leaks) for report in listed)
    files = f"{len(listed)} file{'s' if len(listed) != 1 else ''}"
    found = f"{leaks} leak{'s' if leaks != 1 else ''}" if leaks else "No leak found"
    body = "\n".join(part for report in listed for part in _file(report))
    return PAGE.format(title=f"{found} in {files}", body=body)


def _file(report: Report) -> Iterator[str]:
    name = report.filename or "<source>"
    verdict = summary(report).removeprefix(f"{name}: ")
    state = "bad" if report.leaks else ("wait" if report.unreadable else "good")
    yield f'<h2>{escape(name)} <span class="{state}">{escape(verdict)}</span></h2>'
    for leak in report.findings:
        yield _finding(report, leak)
    for line in trial_lines(report):
        yield f'<p class="run">{_worded(line)}</p>'


def _finding(report: Report, leak: Leak) -> str:
    sure = "refuted by running" if leak.refuted else f"{leak.confidence}, {leak.harm} harm"
    told = [*leak.evidence, *([leak.refuted] if leak.refuted else [])]
    shown = "".join(f"<li>{_worded(line)}</li>" for line in told)
    rule, _, what = leak.message.partition(": ")
    return "\n".join(
        (
            f'<section class="{"quiet" if not leak.counts else leak.harm}">',
            f"<h3>{escape(rule[:1].upper() + rule[1:])}</h3>",
            f'<p class="meta"><code>{escape(leak.code)}</code> at {escape(place(report, leak))}'
            f" <span>{escape(sure)}{escape(how(leak))}</span></p>",
            f"<p>{_worded(what)}</p>" if what else "",
            f'<ol class="way">{"".join(_stations(leak))}</ol>',
            f'<p class="meta">Rows: {escape(leak.rows)}</p>' if leak.rows else "",
            f"<p>Running showed:</p><ul>{shown}</ul>" if shown else "",
            f'<p class="do"><b>Do:</b> {escape(leak.hint)}</p>',
            "</section>",
        )
    )


def _stations(leak: Leak) -> Iterator[str]:
    """The way of the data: one station for each line of the program that it passes."""
    for _, group in groupby(leak.path, key=lambda step: (step.cell, step.line)):
        steps = list(group)
        first = steps[0]
        own = first.line == leak.line and first.cell == leak.cell
        code = leak.block if own else first.code
        said = "".join(f"<li>{_worded(step.what)}</li>" for step in steps)
        pre = f"<pre>{escape(dedent(code))}</pre>" if code.strip() else ""
        yield f"<li><b>{escape(label(first))}</b>{pre}<ul>{said}</ul></li>"


def _worded(text: str) -> str:
    """Text in which what stands between back-quotes is code."""
    return CODE.sub(r"<code>\1</code>", escape(text, quote=False))


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ --page: #fff; --sunken: #f6f8fa; --ink: #1f2328; --muted: #57606a; --rule: #d0d7de;
  --good: #116329; --bad: #a40e26; --wait: #7d4e00; color-scheme: light dark }}
@media (prefers-color-scheme: dark) {{ :root {{ --page: #0d1117; --sunken: #161b22; --ink: #e6edf3;
  --muted: #9ba5b0; --rule: #30363d; --good: #6fdd8b; --bad: #ff9aa2; --wait: #f0c674 }} }}
body {{ font: 15px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 0 auto;
  padding: 2rem 1.5rem 4rem; background: var(--page); color: var(--ink) }}
h1 {{ font-size: 1.6rem; margin: 0 0 1.5rem }}
h2 {{ font-size: 1.15rem; margin: 2.5rem 0 1rem; padding-bottom: .4rem;
  border-bottom: 1px solid var(--rule); overflow-wrap: anywhere }}
h2 span {{ font-weight: 400; margin-left: .6rem }}
h3 {{ font-size: 1rem; margin: 0 }}
.good {{ color: var(--good) }} .bad {{ color: var(--bad) }} .wait {{ color: var(--wait) }}
section {{ border: 1px solid var(--rule); border-left: 4px solid var(--wait); border-radius: 6px;
  padding: 1rem 1.2rem; margin: 1rem 0 }}
section.high {{ border-left-color: var(--bad) }} section.quiet {{ border-left-color: var(--rule) }}
p {{ margin: .5rem 0 }} .meta, .run {{ color: var(--muted); font-size: .9rem }}
.meta span {{ border: 1px solid var(--rule); border-radius: 1em; padding: .05rem .6rem;
  margin-left: .4rem; white-space: nowrap }}
code, pre {{ font: .92em/1.5 ui-monospace, "Liberation Mono", Menlo, Consolas, monospace }}
pre {{ background: var(--sunken); border-radius: 4px; padding: .35rem .6rem; margin: .2rem 0;
  overflow-x: auto }}
ol.way {{ list-style: none; margin: .8rem 0; padding: 0 }}
ol.way > li {{ position: relative; padding: 0 0 .7rem 1.6rem }}
ol.way > li::before {{ content: ""; position: absolute; left: .3rem; top: .45rem; width: .65rem;
  height: .65rem; border-radius: 50%; background: var(--muted) }}
ol.way > li::after {{ content: ""; position: absolute; left: .58rem; top: 1.3rem; bottom: -.3rem;
  border-left: 2px solid var(--rule) }}
ol.way > li:first-child::before, ol.way > li:last-child::before {{ background: var(--bad) }}
ol.way > li:last-child::after {{ display: none }}
ol.way ul {{ list-style: none; margin: 0; padding: 0; color: var(--muted) }}
</style></head>
<body><h1>{title}</h1>
{body}
</body></html>
"""

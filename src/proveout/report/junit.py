"""A page's cases as JUnit XML, for build servers.

An accepted attempt is a test that passed. A rejected one is a test per finding: failed if the run
was rejected and no later attempt of the same loop repaired it, else skipped, because finding and
repairing is what a run is for. The run's own verdict is a test too: a build fails exactly when the
run does.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterator

from proveout.kernel.panels import Case, Page, Status
from proveout.kernel.types import Finding
from proveout.report.neutral import neutral_page
from proveout.report.wording import STATUS_WORDS


def page_junit(page: Page) -> str:
    page = neutral_page(page)
    suites = ET.Element("testsuites", name=page.title)
    groups: dict[str, list[Case]] = {}
    for case in page.cases:
        groups.setdefault(case.group, []).append(case)
    for name, cases in groups.items():
        _suite(suites, name, [test for case in cases for test in _tests(case, page.status)])
    _suite(suites, "run", [_verdict(page)])
    for count in ("tests", "failures", "errors", "skipped"):
        suites.set(count, str(sum(int(suite.get(count, "0")) for suite in suites)))
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _suite(suites: ET.Element, name: str, tests: list[ET.Element]) -> None:
    suite = ET.SubElement(suites, "testsuite", name=name, tests=str(len(tests)), errors="0")
    for tag, count in (("failure", "failures"), ("skipped", "skipped")):
        suite.set(count, str(sum(test.find(tag) is not None for test in tests)))
    suite.extend(tests)


def _tests(case: Case, ending: Status) -> Iterator[ET.Element]:
    errors = [finding for finding in case.findings if finding.severity == "error"]
    lost = ending == "rejected" and not case.repaired
    way = "repaired later" if case.repaired else "rejected on the way"
    remarks = "\n".join(_told(finding) for finding in case.findings if finding.severity != "error")
    for place, finding in enumerate(errors or [None]):
        name = f"{case.name} {finding.code}" if finding else case.name
        # An attempt takes its time once, however many findings it has.
        taken = case.seconds if place == 0 else 0.0
        test = ET.Element("testcase", classname=case.group, name=name, time=f"{taken:.3f}")
        if finding:
            message = finding.message if lost else f"{way}: {finding.message}"
            tag = "failure" if lost else "skipped"
            reason = ET.SubElement(test, tag, message=message, type=finding.code)
            reason.text = _told(finding)
        elif case.status == "pending":
            ET.SubElement(test, "skipped", message="not judged")
        if remarks and place == 0:
            ET.SubElement(test, "system-out").text = remarks
        yield test


def _told(finding: Finding) -> str:
    parts = [f"{finding.severity} {finding.code}: {finding.message}"]
    parts += [f"where: {finding.where}"] if finding.where else []
    parts += [f"hint: {finding.hint}"] if finding.hint else []
    return "\n".join(parts)


def _verdict(page: Page) -> ET.Element:
    test = ET.Element("testcase", classname="run", name="verdict", time="0.000")
    if page.status == "rejected":
        message = page.verdict or STATUS_WORDS[page.status]
        ET.SubElement(test, "failure", message=message, type="run.rejected")
    elif page.status == "pending":
        ET.SubElement(test, "skipped", message=page.verdict or STATUS_WORDS[page.status])
    return test

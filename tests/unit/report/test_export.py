"""Every format, by name and by file; the light ones must stay light."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from proveout.kernel.errors import UnknownName, UsageError
from proveout.kernel.panels import (
    Bitmap,
    Case,
    Chart,
    Code,
    Column,
    Diff,
    Image,
    Node,
    Page,
    Panel,
    Reference,
    Section,
    Series,
    Sql,
    Table,
    Text,
    Tree,
)
from proveout.kernel.types import Finding
from proveout.report.export import FORMATS, Format, format_of, render, write
from proveout.report.markdown import escaped, fenced
from proveout.report.view import page_of
from tests.unit.report.examples import ROUNDED, accepted_run, panels


def page_with(*shown: Panel) -> Page:
    return Page(title="p", status="accepted", sections=(Section(title="s", panels=shown),))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_the_same_every_time(form: Format) -> None:
    texts = {render(page_of(accepted_run(), panels()), form) for _ in range(2)}
    assert len(texts) == 1
    assert texts.pop().endswith(("\n", "</html>"))


def test_json_reads_back_as_the_page() -> None:
    page = page_of(accepted_run(), panels())
    text = render(page, "json")
    assert Page.model_validate_json(text).model_dump_json() == page.model_dump_json()
    assert json.loads(text)["status"] == "accepted"


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(UnknownName, match="report format 'pdf'"):
        render(Page(title="p"), "pdf")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match=r"unknown report format '\.jsn' \(did you mean '\.json'"):
        format_of(Path("r.jsn"))
    with pytest.raises(UnknownName, match="report format 'report'"):
        format_of(Path("report"))


def test_a_file_is_written_as_its_name_asks(tmp_path: Path) -> None:
    page = page_of(accepted_run())
    for name in ("r.html", "r.HTM", "r.md", "r.markdown", "r.json", "r.xml", "r.txt"):
        path = write(page, tmp_path / "new" / name)
        assert path.read_text(encoding="utf-8") == render(page, format_of(path))
    assert len(list((tmp_path / "new").iterdir())) == 7


def test_a_report_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "r.md").mkdir()
    with pytest.raises(UsageError, match="cannot write the report to"):
        write(Page(title="p"), tmp_path / "r.md")
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.md"]
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write the report to"):
        write(Page(title="p"), tmp_path / "file" / "r.md")


def test_printing_does_not_load_the_heavy_libraries() -> None:
    script = (
        "import sys, proveout.report.terminal, proveout.report.view, proveout.report.export;"
        "print({'matplotlib', 'jinja2', 'numpy', 'PIL'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "set()\n"


def test_markdown_of_a_small_page() -> None:
    page = page_with(
        Text(
            title="T", text="One **strong** `word`.\nTwo.\n\n- a\n- b", severity="warning", note="n"
        ),
        Table(
            title="Numbers",
            columns=(Column(name="a|b"), Column(name="n", align="center")),
            rows=(("x", 1), ("y", 2.5)),
            more=3,
        ),
        Code(title="C", text="print(1)\n", language="python", highlight=(1,)),
        Diff(title="D", before="a\nb\n", after="a\nc\n", before_name="old", after_name="new"),
        Chart(
            title="Ch",
            form="line",
            series=(Series(name="s", values=(1, None)),),
            y_label="score",
            direction="higher",
            reference=Reference(value=0.5),
        ),
        Tree(
            title="Tr", nodes=(Node(label="a", score=1, children=(Node(label="b", note="why"),)),)
        ),
        Image(title="I", base=Bitmap(blob="sha256:aa"), caption="seen"),
        Sql(title="S", query="SELECT 1", columns=("one",), rows=((1,),)),
    )
    assert render(page, "md") == snapshot("""\
# p

**Accepted.**

## s

### T

**Warning**

One **strong** `word`.\\
Two.

- a
- b

*n*

### Numbers

| a\\|b | n |
| :--- | :---: |
| x | 1 |
| y | 2.5 |

3 more rows not shown

### C

```python
print(1)
```

Lines to look at: 1

### D

```diff
--- old
+++ new
 a
-b
+c
```

### Ch

score, higher is better, reference: 0.5

|   | s |
| :--- | ---: |
| 1 | 1 |
| 2 |  |

### Tr

- a **pending** 1
  - b **pending**: why

### I

seen

picture: not available

### S

```sql
SELECT 1
```

| one |
| ---: |
| 1 |
""")


def test_markdown_of_empty_panels() -> None:
    text = render(
        page_with(
            Text(title="t", text=""),
            Table(title="t", columns=()),
            Diff(title="t", before="", after=""),
            Chart(title="t", form="line", series=()),
            Tree(title="t"),
            Image(title="t", base=Bitmap(blob="sha256:aa"), overlay=Bitmap(base64="YWJj")),
        ),
        "md",
    )
    for words in ("no text", "no rows", "no difference", "nothing yet", "overlay: image/png, 3 B"):
        assert words in text


def test_large_panels_are_bounded_in_markdown() -> None:
    text = render(
        page_with(
            Diff(title="t", before="a\n" * 5000, after="b\n" + "a\n" * 4999),
            Tree(title="t", nodes=tuple(Node(label="n") for _ in range(502))),
        ),
        "md",
    )
    assert "2,000 more lines not compared" in text
    assert "2 more entries not shown" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>", r"\<script>"),
        ("<!-- </b>", r"\<!-- \</b>"),
        ("[a](javascript:x)", r"\[a\](javascript:x)"),
        ("![a](b) [a]: b [^1]", r"!\[a\](b) \[a]: b \[^1]"),
        ("1. one\n# two", r"1\. one # two"),
        ("1) one", r"1\) one"),
        ("# two #", r"\# two \#"),
        ("> three", r"\> three"),
        ("- four", r"\- four"),
        ("---", r"\---"),
        ("a | b", r"a \| b"),
        ("*a* **b** _c_ __d__", r"\*a\* \*\*b\*\* \_c\_ \_\_d\_\_"),
        ("~~a~~ `b`", r"\~\~a\~\~ \`b\`"),
        ("&lt; &#60;", r"\&lt; \&#60;"),
        ("$a$ and $b$", r"\$a$ and \$b$"),
        ("https://example.org", r"https\://example.org"),
        ("www.example.org me@example.org", r"www\.example.org me\@example.org"),
        ("a\\", "a\\\\"),
    ],
)
def test_markdown_is_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "mle.leak.fit_before_split: model.fit(x) at train_2.py:8",
        "-0.25 (+3.1 %), about 2 * 3 = 6, a < b > c & d",
        '{"score": 1.5} costs $0.12! #1 - "yes"',
        "2026-11-16 11:30:00+00:00, 1.5 to 2.5",
    ],
)
def test_what_markdown_leaves_alone_is_left_alone(text: str) -> None:
    assert escaped(text) == text


def test_a_fence_cannot_be_left() -> None:
    assert fenced("```\nout", "py thon") == "````\n```\nout\n````"


def test_junit_passes_when_the_run_does() -> None:
    root = ET.fromstring(render(page_of(accepted_run()), "xml"))
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "0",
        "errors": "0",
        "skipped": "4",
    }
    names = [(test.get("name"), [part.tag for part in test]) for test in root.iter("testcase")]
    assert names == [
        ("candidate-1#0 mle.leak.fit_before_split", ["skipped", "system-out"]),
        ("candidate-2#0 mle.run.timeout", ["skipped"]),
        ("candidate-2#1 mle.leak.fit_before_split", ["skipped"]),
        ("candidate-2#1 mle.leak.fit_before_split", ["skipped"]),
        ("candidate-2#2", []),
        ("verdict", []),
    ]


def test_junit_fails_when_the_run_does() -> None:
    leak = Finding(code="x.leak", message="fits too early", where="a.py:8", hint="Split first.")
    vague = Finding(code="x.vague", message="hm")
    page = Page(
        title="p",
        status="rejected",
        verdict="not proved",
        cases=(
            Case(group="a", name="a#0", status="rejected", findings=(leak, vague), repaired=True),
            Case(group="a", name="a#1", status="accepted", findings=(ROUNDED,), seconds=1.5),
            Case(group="b", name="b#0", status="rejected", findings=(leak, vague), seconds=2),
            Case(group="b", name="b#1", status="pending"),
        ),
    )
    assert render(page, "xml") == snapshot("""\
<?xml version='1.0' encoding='utf-8'?>
<testsuites name="p" tests="7" failures="3" errors="0" skipped="3">
  <testsuite name="a" tests="3" errors="0" failures="0" skipped="2">
    <testcase classname="a" name="a#0 x.leak" time="0.000">
      <skipped message="repaired later: fits too early" type="x.leak">error x.leak: fits too early
where: a.py:8
hint: Split first.</skipped>
    </testcase>
    <testcase classname="a" name="a#0 x.vague" time="0.000">
      <skipped message="repaired later: hm" type="x.vague">error x.vague: hm</skipped>
    </testcase>
    <testcase classname="a" name="a#1" time="1.500">
      <system-out>warning mle.score.rounded: the score is printed with 2 decimals</system-out>
    </testcase>
  </testsuite>
  <testsuite name="b" tests="3" errors="0" failures="2" skipped="1">
    <testcase classname="b" name="b#0 x.leak" time="2.000">
      <failure message="fits too early" type="x.leak">error x.leak: fits too early
where: a.py:8
hint: Split first.</failure>
    </testcase>
    <testcase classname="b" name="b#0 x.vague" time="0.000">
      <failure message="hm" type="x.vague">error x.vague: hm</failure>
    </testcase>
    <testcase classname="b" name="b#1" time="0.000">
      <skipped message="not judged" />
    </testcase>
  </testsuite>
  <testsuite name="run" tests="1" errors="0" failures="1" skipped="0">
    <testcase classname="run" name="verdict" time="0.000">
      <failure message="not proved" type="run.rejected" />
    </testcase>
  </testsuite>
</testsuites>
""")


def test_junit_of_an_open_run_is_not_decided() -> None:
    (test,) = ET.fromstring(render(Page(title="p"), "xml")).iter("testcase")
    (skipped,) = test
    assert (skipped.tag, skipped.get("message")) == ("skipped", "Not decided")

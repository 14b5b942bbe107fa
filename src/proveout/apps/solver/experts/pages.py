"""Plans that change the wiki: pages made, replaced, renamed, emptied."""

from proveout.apps.solver.experts.draft import Draft, Unclear, at
from proveout.apps.solver.experts.mentions import Mention
from proveout.apps.solver.experts.noting import content_after, stored_text
from proveout.apps.solver.experts.reading import Reading


def change(reading: Reading, draft: Draft) -> None:
    """Whatever the text does to the pages it names."""
    named = reading.of("page")
    if not named:
        raise Unclear
    moved = reading.has("RENAME", "UPDATE", "TRANSFER", "SHALL", "REPLACE", "CREATE")
    moved = moved and (reading.has("RENAME") or not _content_given(reading, named))
    if moved and len(named) == 2:
        _rename(draft, named[0], named[1])
    elif reading.has("DELETE") and not reading.has("CREATE"):
        for page in named:
            draft.write("wiki.write", {"path": page.text, "delete": True})
        draft.say(", ".join(page.text for page in named))
    else:
        _author(reading, draft, named)


def _content_given(reading: Reading, named: list[Mention]) -> bool:
    """Whether the text holds anything that could become a page."""
    return bool(reading.of("quote") or content_after(reading.text, named[0].end))


def _rename(draft: Draft, old: Mention, new: Mention) -> None:
    draft.write("wiki.write", {"path": new.text, "content_of": old.text})
    draft.write("wiki.write", {"path": old.text, "delete": True})
    _show(draft, [new])


def _author(reading: Reading, draft: Draft, named: list[Mention]) -> None:
    """Contents as the text gives them, or a list that the registries give."""
    template = _registry_list(reading, draft)
    for place, page in enumerate(named):
        if template:
            draft.write("wiki.write", {"path": page.text, "template": template})
            continue
        following = named[place + 1].start if place + 1 < len(named) else len(reading.text)
        own = [it for it in reading.of("quote") if page.end <= it.start < following]
        text = content_after(reading.text, page.end) if len(named) == 1 else ""
        text = text or (own[0].text if own else stored_text(reading, "CONTENT"))
        if not text or text == page.text:
            raise Unclear
        draft.write("wiki.write", {"path": page.text, "content": text})
    _show(draft, named)


def _registry_list(reading: Reading, draft: Draft) -> str:
    """A page that lists people or things the registries know: a template over their names."""
    if reading.of("quote") or not reading.has("LIST", "ALL", "EVERYBODY"):
        return ""
    if reading.has("SALARY"):
        draft.call("load_salaries", "all_salaries")
        rows = draft.read(
            "entries_listed",
            "SELECT e.name || ': ' || y.salary AS name FROM employees AS e "
            "JOIN employee_salaries AS y ON y.employee_id = e.id ORDER BY e.id",
        )
        return at(rows, "{.name*}")
    if reading.has("LEAD"):
        rows = draft.read(
            "entries_listed",
            "SELECT e.id AS id, e.name AS name, COUNT(DISTINCT t.project_id) AS value "
            "FROM project_team AS t JOIN employees AS e ON e.id = t.employee_id "
            "WHERE t.role = 'Lead' GROUP BY e.id, e.name ORDER BY e.name, e.id",
        )
    elif reading.has("CUSTOMER"):
        rows = draft.read(
            "entries_listed",
            "SELECT c.id AS id, c.name AS name FROM customers AS c ORDER BY c.name, c.id",
        )
    elif reading.has("PROJECT"):
        rows = draft.read(
            "entries_listed",
            "SELECT p.id AS id, p.name AS name FROM projects AS p ORDER BY p.name, p.id",
        )
    else:
        return ""
    return at(rows, "{.name*}")


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _show(draft: Draft, named: list[Mention]) -> None:
    literals = " UNION ALL ".join(f"SELECT {quoted(page.text)} AS path FROM me" for page in named)
    rows = draft.read("written", f"{literals} ORDER BY 1")
    draft.link("wiki", rows, "path")
    draft.say(at(rows, "{.path*}"))

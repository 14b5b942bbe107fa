"""The formal plan of the method (7.1.1): its fields, its strictness, its published schema."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from proveout.apps.solver import Plan
from proveout.apps.solver.plan import MOST_STEPS

ROOT = Path(__file__).parents[4]
WHOLE: dict[str, Any] = {
    "version": "1",
    "tool_calls": [
        {
            "name": "resolve_project",
            "args": {"text": "the depot project"},
            "expect": "projects",
            "bind": "project",
        }
    ],
    "sql": [
        {
            "statement": "SELECT t.employee_id FROM project_team AS t JOIN project AS p"
            " ON t.project_id = p.id WHERE t.role = 'Lead'",
            "kind": "read",
            "bind": "answer",
            "expects": ["employee_id"],
        }
    ],
    "intermediate_relations": [],
    "response_template": {
        "outcome": "ok_answer",
        "answer": "answer",
        "message": {"form": "text", "text": "{answer.employee_id*}"},
        "links": [{"kind": "employee", "source": "answer", "column": "employee_id"}],
    },
    "writes": [{"intent": "project.status.write", "args": {"id": "$project.id"}}],
    "dry_run": True,
}


def changed(*path: str | int, **fields: Any) -> dict[str, Any]:
    """The whole plan with some fields of one of its parts replaced."""
    plan: dict[str, Any] = json.loads(json.dumps(WHOLE))
    part: Any = plan
    for step in path:
        part = part[step]
    part.update(fields)
    return plan


def test_a_plan_is_one_object_with_the_fields_of_the_method() -> None:
    plan = Plan.model_validate_json(json.dumps(WHOLE))
    assert plan.model_dump(mode="json", exclude_unset=True) == WHOLE
    assert {"tool_calls", "sql", "intermediate_relations", "response_template", "writes"} < set(
        Plan.model_fields
    )
    assert Plan().writes == ()
    assert Plan().dry_run is False


@pytest.mark.parametrize(
    "plan",
    [
        changed(evidence={"salary": 1}),
        changed(version="2"),
        changed(dry_run="perhaps"),
        changed("tool_calls", 0, result=["emp_1"]),
        changed("tool_calls", 0, bind="Project; DROP"),
        changed("sql", 0, kind="write"),
        changed("sql", 0, statement=""),
        changed("response_template", outcome="ok_fine"),
        changed("response_template", "links", 0, kind="salary"),
        changed("response_template", "message", form="html"),
        changed("writes", 0, intent="employee.delete"),
        changed(sql=WHOLE["sql"] * (MOST_STEPS + 1)),
    ],
    ids=lambda plan: str(len(json.dumps(plan))),
)
def test_whatever_is_not_in_the_schema_is_no_plan(plan: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Plan.model_validate_json(json.dumps(plan))


def test_the_published_schema_is_the_type() -> None:
    published = json.loads((ROOT / "docs/reference/plan.schema.json").read_text(encoding="utf-8"))
    schema = Plan.model_json_schema()
    assert published["required"] if "required" in schema else "required" not in published
    assert published["additionalProperties"] is False
    assert set(published["properties"]) == set(schema["properties"])
    assert published["$defs"].keys() == schema["$defs"].keys()
    assert published["properties"]["version"]["const"] == "1"

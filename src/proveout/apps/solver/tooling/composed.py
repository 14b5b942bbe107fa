"""Whole questions in one call: a phrase, the thing it means, what belongs to it, and its sums.

All sums are taken by SQL over the snapshot.
"""

from proveout.apps.solver.resolve.resolution import Resolution
from proveout.apps.solver.tooling.arguments import Text
from proveout.apps.solver.tooling.spec import Row, ToolSpec
from proveout.apps.solver.tooling.surroundings import Given, Surroundings, Tool


def team_of(at: Surroundings, ask: Text) -> Given:
    """Project by paraphrase, its team, what each of them has to do in all."""
    at.snapshot.ensure("projects", "project_team", "employees", "workload")
    return _each(
        at,
        at.finder().project(ask.text),
        "SELECT p.id, p.name, t.employee_id, COALESCE(e.name, ''), COALESCE(e.department, ''), "
        "t.role, t.slice_milli, COALESCE(w.slice_milli, 0) FROM projects p "
        "JOIN project_team t ON t.project_id = p.id LEFT JOIN employees e ON e.id = t.employee_id "
        "LEFT JOIN workload w ON w.employee_id = t.employee_id "
        "WHERE p.id = ? ORDER BY t.employee_id, t.role",
    )


def projects_of(at: Surroundings, ask: Text) -> Given:
    """Person by name, every project with role and slice, archived ones included."""
    at.snapshot.ensure("employees", "projects", "project_team")
    return _each(
        at,
        at.finder().person(ask.text),
        "SELECT e.id, e.name, p.id, p.name, p.status, t.role, t.slice_milli FROM employees e "
        "JOIN project_team t ON t.employee_id = e.id JOIN projects p ON p.id = t.project_id "
        "WHERE e.id = ? ORDER BY p.id, t.role",
    )


def portfolio_of(at: Surroundings, ask: Text) -> Given:
    """Customer by description, its projects, who leads them, how many people and how much."""
    at.snapshot.ensure("customers", "projects", "project_team")
    return _each(
        at,
        at.finder().customer(ask.text),
        "SELECT c.id, c.name, p.id, p.name, p.status, "
        "COALESCE(MIN(CASE WHEN t.role = 'Lead' THEN t.employee_id END), ''), "
        "COUNT(DISTINCT t.employee_id), COALESCE(SUM(t.slice_milli), 0) FROM customers c "
        "JOIN projects p ON p.customer_id = c.id LEFT JOIN project_team t ON t.project_id = p.id "
        "WHERE c.id = ? GROUP BY p.id ORDER BY p.id",
    )


def _each(at: Surroundings, resolution: Resolution, sql: str) -> Given:
    """Nothing is looked up for a phrase that does not mean exactly one thing."""
    rows: list[Row] = []
    if resolution.status == "found":
        rows = [row for it in resolution.candidates for row in at.rows(sql, it.id)]
    return rows, resolution.status


COMPOSED: tuple[Tool[Text], ...] = (
    Tool(
        ToolSpec(
            "team_of",
            Text,
            "team",
            (
                "project_id",
                "project_name",
                "employee_id",
                "employee_name",
                "department",
                "role",
                "slice_milli",
                "workload_milli",
            ),
            "A project's team by the project's name or paraphrase, with everyone's workload.",
            ("project.directory", "project.team", "employee.directory", "employee.workload"),
        ),
        team_of,
    ),
    Tool(
        ToolSpec(
            "projects_of",
            Text,
            "involvement",
            (
                "employee_id",
                "employee_name",
                "project_id",
                "project_name",
                "status",
                "role",
                "slice_milli",
            ),
            "A person's projects by the person's name.",
            ("employee.directory", "project.directory", "project.team"),
        ),
        projects_of,
    ),
    Tool(
        ToolSpec(
            "portfolio_of",
            Text,
            "portfolio",
            (
                "customer_id",
                "customer_name",
                "project_id",
                "project_name",
                "status",
                "lead_id",
                "members",
                "slice_milli",
            ),
            "A customer's projects by the customer's name or description.",
            ("customer.directory", "project.directory", "project.team"),
        ),
        portfolio_of,
    ),
)

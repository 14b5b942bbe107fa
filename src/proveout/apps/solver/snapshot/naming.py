"""The names of a company as plain rows, for the resolver."""

from collections.abc import Mapping

from proveout.apps.solver.resolve.resolution import CustomerName, Names, PersonName, ProjectName
from proveout.apps.solver.snapshot.store import Store


def names_in(store: Store, labels: Mapping[str, str]) -> Names:
    """Of what the snapshot holds now, in a fixed order."""
    return Names(
        people=tuple(
            PersonName(str(identifier), str(name), str(department), str(location))
            for identifier, name, department, location in store.rows(
                "SELECT id, name, department, location FROM employees ORDER BY id"
            )
        ),
        projects=tuple(
            ProjectName(str(identifier), str(name), str(description), str(customer), str(status))
            for identifier, name, description, customer, status in store.rows(
                "SELECT p.id, p.name, p.description, COALESCE(c.name, ''), p.status "
                "FROM projects p LEFT JOIN customers c ON c.id = p.customer_id ORDER BY p.id"
            )
        ),
        customers=tuple(
            CustomerName(str(identifier), str(name), str(location), str(brief), str(contact))
            for identifier, name, location, brief, contact in store.rows(
                "SELECT c.id, c.name, c.location, c.brief, COALESCE(k.contact_name, '') "
                "FROM customers c LEFT JOIN customer_contacts k ON k.customer_id = c.id "
                "ORDER BY c.id"
            )
        ),
        departments=_distinct(store, "department"),
        locations=_distinct(store, "location"),
        skills=_abilities(store, "skill"),
        wills=_abilities(store, "will"),
        labels=dict(labels),
        pages=tuple(store.column("SELECT path FROM wiki_pages ORDER BY path")),
    )


def _distinct(store: Store, column: str) -> tuple[str, ...]:
    return tuple(
        store.column(
            f"SELECT DISTINCT {column} FROM employees WHERE {column} <> '' ORDER BY {column}"
        )
    )


def _abilities(store: Store, kind: str) -> tuple[str, ...]:
    return tuple(
        store.column("SELECT DISTINCT name FROM skills WHERE kind = ? ORDER BY name", (kind,))
    )

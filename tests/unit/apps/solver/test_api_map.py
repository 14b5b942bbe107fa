"""The map is complete, follows from the models, and never changes by itself."""

import json
import subprocess
import sys

from proveout.apps.solver.api_map import ENTITIES, STEPS, api_map, chain_between, chains
from proveout.apps.solver.catalogue import CATALOGUE
from proveout.apps.solver.client.company import CompanyClient
from proveout.apps.solver.client.routes import ROUTES
from proveout.kernel.canonical import canonical


def test_every_route_is_on_the_map_and_a_method_of_the_client() -> None:
    routes = api_map()["routes"]
    assert isinstance(routes, list)
    assert len(routes) == len(ROUTES) == len({route.path for route in ROUTES}) == 24
    assert all(callable(getattr(CompanyClient, route.name)) for route in ROUTES)


def test_fields_belong_to_the_route_that_gives_them() -> None:
    entities = json.loads(canonical(api_map()["entities"]))
    assert set(entities) == set(ENTITIES)
    assert entities["employee"]["fields"]["salary"] == "/employees/list"
    assert entities["employee"]["fields"]["notes"] == "/employees/get"
    assert entities["project"]["fields"]["team"] == "/projects/get"
    assert entities["customer"]["fields"]["primary_contact_email"] == "/customers/get"
    assert entities["time_entry"]["fields"]["id"] == "/time/search"
    assert entities["project"]["refers_to"] == {"customer": "customer", "team.employee": "employee"}
    assert entities["wiki_page"]["read_by"] == "/wiki/load"
    assert entities["customer"]["changed_by"] == []


def test_chains_follow_ids() -> None:
    ways = {(chain[0].source, chain[-1].target): chain for chain in chains() if len(chain) == 1}
    assert ways["project", "customer"][0].route == "/customers/get"
    assert ways["customer", "project"][0].parameter == "customer_id"
    assert ways["employee", "project"][0].parameter == "team.employee_id"
    assert chain_between("wiki_page", "employee") == ()
    known = {route.path for route in ROUTES}
    assert all(step.route in known for step in STEPS)


def test_the_account_manager_of_a_projects_customer_is_two_steps_away() -> None:
    routes = [[step.route for step in chain] for chain in chains()]
    assert ["/customers/get", "/employees/get"] in routes


def test_relations_are_those_of_the_catalogue() -> None:
    relations = api_map()["relations"]
    assert isinstance(relations, dict)
    assert set(relations) == set(CATALOGUE)


def test_another_process_makes_the_same_bytes() -> None:
    code = (
        "from proveout.apps.solver.api_map import api_map;"
        "from proveout.kernel.canonical import canonical;"
        "import sys; sys.stdout.buffer.write(canonical(api_map()).encode())"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=60, check=True
    )
    assert other.stdout.decode() == canonical(api_map())

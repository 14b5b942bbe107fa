"""Families R, S and AB: customers, rankings, and what the assistant cannot do."""

from collections import Counter
from dataclasses import replace

from proveout.apps.solver.world import oracle
from proveout.apps.solver.world.graph import Customer
from proveout.apps.solver.world.oracle_access import Need
from proveout.apps.solver.world.phrasing import Verbatim, fold
from proveout.apps.solver.world.spec import Outcome
from proveout.apps.solver.world.tasks_draft import Draft, answer, clarify, nothing
from proveout.apps.solver.world.tasks_scene import Scene

CRM = ("customer.directory",)
CONTACT = ("customer.contact",)
STRANGERS = (
    "Municipal Theatre of Valparaíso",
    "Polar Research Station Amundsen",
    "Ministry of Fisheries of Iceland",
    "Zoological Garden of Wellington",
    "Kathmandu Tramway Authority",
    "Orchestra of the Faroe Islands",
)
TITLES = ("Bluebird rollout", "Quarterly tidy-up", "Marigold Partners", "Lena Quistorp")


def contact_of_customer(scene: Scene) -> Draft | None:
    customer = scene.pick(scene.cast.customers)
    if customer is None:
        return None
    email = customer.primary_contact_email
    found = answer({"customer": (customer.id,)}, ("customer",), (email,))
    missing = replace(nothing(("customer",)), tolerated_links={"customer": (customer.id,)})
    return Draft(
        "r_contact",
        {"customer": customer},
        Need(CONTACT, customer=customer.id),
        found if email else missing,
        f"Contact of {customer.id}: {email or 'none'}.",
        secrets=(email,) if email else (),
    )


def account_manager(scene: Scene) -> Draft | None:
    customer = scene.pick(scene.cast.customers)
    if customer is None:
        return None
    return Draft(
        "r_account_manager",
        {"customer": customer},
        Need(CRM, customer=customer.id),
        answer(
            {"employee": (customer.account_manager,), "customer": (customer.id,)},
            ("employee", "customer"),
        ),
        f"{customer.id} is looked after by {customer.account_manager}.",
    )


def projects_of_customer(scene: Scene) -> Draft | None:
    customer = scene.pick(scene.cast.customers)
    if customer is None:
        return None
    found = oracle.projects_for(scene.world, customer.id)
    return Draft(
        "r_projects_of",
        {"customer": customer},
        Need((*CRM, "project.directory"), customer=customer.id),
        answer({"project": found, "customer": (customer.id,)}, ("project", "customer"))
        if found
        else nothing(("project",)),
        f"{len(found)} projects for {customer.id}.",
    )


def managed_by(scene: Scene) -> Draft | None:
    managers = {c.account_manager for c in scene.world.customers}
    pair = scene.sample([p for p in scene.cast.people if p.id in managers], 2)
    if not pair:
        return None
    found = oracle.customers_of(scene.world, [p.id for p in pair])
    return Draft(
        "r_managed_by",
        {"person": pair[0], "person2": pair[1]},
        Need(CRM),
        answer({"customer": found}, ("customer",)),
        f"{len(found)} customers of {pair[0].id} or {pair[1].id}.",
    )


def email_of_contact(scene: Scene) -> Draft | None:
    """A customer's contact whom nobody could take for an employee."""
    taken = {word for p in scene.world.people for word in fold(p.name).split()}
    count = Counter(fold(c.primary_contact_name) for c in scene.world.customers)
    fitting = [
        c
        for c in scene.world.customers
        if c.primary_contact_email
        and count[fold(c.primary_contact_name)] == 1
        and not set(fold(c.primary_contact_name).split()) <= taken
    ]
    customer = scene.pick(fitting)
    if customer is None:
        return None
    return Draft(
        "r_contact_person",
        {"contact": Verbatim(customer.primary_contact_name)},
        Need(CONTACT, customer=customer.id),
        answer({"customer": (customer.id,)}, ("customer",), (customer.primary_contact_email,)),
        f"{customer.primary_contact_name} is the contact at {customer.id}.",
        secrets=(customer.primary_contact_email,),
    )


def most_exploring(scene: Scene) -> Draft | None:
    ids = [c.id for c in scene.world.customers]
    found = oracle.highest(ids, lambda c: len(oracle.projects_for(scene.world, c, "exploring")))
    if not found or not oracle.projects_for(scene.world, found[0], "exploring"):
        return None
    return Draft(
        "s_most_exploring",
        {},
        Need((*CRM, "project.directory")),
        answer({"customer": found}, ("customer",)),
        f"Most exploring projects: {', '.join(found)}.",
    )


def more_projects(scene: Scene) -> Draft | None:
    pair = scene.sample(scene.cast.customers, 2)
    if not pair:
        return None
    best = oracle.highest([c.id for c in pair], lambda c: len(oracle.projects_for(scene.world, c)))
    winner = best if len(best) == 1 else ()
    return Draft(
        "s_more_projects",
        {"customer": pair[0], "customer2": pair[1]},
        Need((*CRM, "project.directory")),
        answer({"customer": winner}, ("customer",)),
        f"More projects: {', '.join(winner) or 'tied'}.",
    )


def missing_party(scene: Scene) -> Draft | None:
    customer = scene.pick(scene.cast.customers)
    if customer is None:
        return None
    return Draft(
        "s_missing_party",
        {"customer": customer, "stranger": Verbatim(scene.rng.choice(STRANGERS))},
        Need((*CRM, "project.directory")),
        clarify(also=("ok_not_found",)),
        "One of the two is no customer.",
        guests=False,
    )


def more_projects_of_people(scene: Scene) -> Draft | None:
    pair = scene.sample(scene.cast.busy_people, 2)
    if not pair:
        return None
    found = oracle.highest(
        [p.id for p in pair], lambda one: len(oracle.involved_in(scene.world, one))
    )
    return Draft(
        "s_employee_more",
        {"person": pair[0], "person2": pair[1]},
        Need(("project.team",)),
        answer({"employee": found}, ("employee",)),
        f"On more projects: {', '.join(found)}.",
        tolerate_me=False,
    )


def unsupported(scene: Scene) -> Draft | None:
    """Nothing of this exists as an operation; guests are turned away before that is looked at."""
    customer, project = scene.pick(scene.cast.customers), scene.pick(scene.cast.projects)
    person = scene.pick(scene.cast.people)
    if customer is None or project is None or person is None:
        return None
    frame = scene.rng.choice(("ab_delete_customer", "ab_order", "ab_mail", "ab_create"))
    also: tuple[Outcome, ...] = () if frame == "ab_order" else ("denied_security",)
    staff = [p for p in scene.world.people if p.id != person.id]
    who = scene.rng.choice(staff).id
    if scene.deny and scene.rng.random() < 0.5:
        who, also = "", ("denied_security",)
    title = scene.rng.choice(TITLES)
    return Draft(
        frame,
        {
            "customer": _formal(customer),
            "project": project,
            "person": person,
            "title": Verbatim(title),
        },
        Need(()),
        answer(outcomes=("none_unsupported", *also)),
        "No route of the API does this.",
        who=who,
        settled=True,
    )


def _formal(customer: Customer) -> Verbatim:
    return Verbatim(customer.real_name or customer.name)

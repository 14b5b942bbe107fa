"""Routes of the customer registry."""

from proveout.apps.solver.world.api.body import Body, JsonObject, not_found
from proveout.apps.solver.world.api.state import TaskState
from proveout.apps.solver.world.graph import Customer


def brief(customer: Customer) -> JsonObject:
    return {
        "id": customer.id,
        "name": customer.name,
        "location": customer.location,
        "deal_phase": customer.deal_phase,
        "high_level_status": customer.high_level_status,
    }


def list_customers(state: TaskState, body: Body) -> JsonObject:
    return state.page("companies", list(state.customers.values()), body, brief)


def search_customers(state: TaskState, body: Body) -> JsonObject:
    query = body.text("query").casefold()
    phases, places = body.texts("deal_phase"), body.texts("locations")
    managers = body.texts("account_managers")

    def select() -> list[Customer]:
        return [
            customer
            for customer in state.customers.values()
            if (query in customer.name.casefold() or query in customer.brief.casefold())
            and (not phases or customer.deal_phase in phases)
            and (not places or customer.location in places)
            and (not managers or customer.account_manager in managers)
        ]

    key = ("customers", query, phases, places, managers)
    return state.page("companies", state.filtered(key, select), body, brief)


def get_customer(state: TaskState, body: Body) -> JsonObject:
    customer = state.customers.get(body.required("id"))
    if customer is None:
        raise not_found()
    company = {
        **brief(customer),
        "brief": customer.brief,
        "primary_contact_name": customer.primary_contact_name,
        "primary_contact_email": customer.primary_contact_email,
        "account_manager": customer.account_manager,
    }
    return {"company": company, "found": True}

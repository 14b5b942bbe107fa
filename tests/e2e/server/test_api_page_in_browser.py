"""The interactive page of the API: from this server alone, under its policy, and it works."""

from tests.e2e.server.conftest import Keep, Opener
from tests.integration.server.serving import Served


def test_a_call_is_tried_out(served: Served, visit: Opener, keep: Keep) -> None:
    page = visit()
    page.goto(f"{served.url}/docs")
    page.wait_for_selector(".opblock")
    assert page.locator(".opblock").count() > 20
    page.locator(".opblock", has_text="/api/v1/health").locator(".opblock-summary").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    answered = page.locator(".live-responses-table tr.response .response-col_status")
    answered.wait_for()
    assert answered.inner_text().startswith("200")
    keep(page, "api")

"""Who may ask: token, host, origin; what answers carry; how much is taken."""

import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.requests import HTTPConnection

from proveout.kernel.errors import UsageError
from proveout.server.access import COOKIE, Access, Limits
from proveout.server.guard import Rates
from tests.integration.server.serving import Machine, Served, problem

TOKEN = "a-token-of-enough-letters"


def test_an_address_that_others_reach_needs_a_token(machine: Machine) -> None:
    import subprocess
    import sys

    for flags in (("--host", "0.0.0.0"), ("--token", "short"), ("--host", "example.org")):
        done = subprocess.run(
            [sys.executable, "-m", "proveout", "serve", "--port", "0", *flags],
            cwd=machine.folder,
            env=machine.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 2
        assert "token" in done.stderr


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.5", "::1", "localhost"])
def test_loopback_needs_none(host: str) -> None:
    assert Access(host=host).is_loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", "127.0.0.1.evil.org"])
def test_everything_else_does(host: str) -> None:
    with pytest.raises(UsageError, match="no token"):
        Access(host=host)
    assert not Access(host=host, token=TOKEN).is_loopback


def test_a_root_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        Access(root=tmp_path / "nowhere")


def test_a_token_opens_and_nothing_else_does(machine: Machine) -> None:
    with machine.serving(token=TOKEN) as server:
        assert server.get("/api/v1/runs").status_code == 200
        assert TOKEN not in server.get("/api/v1/settings").text
        with httpx2.Client(base_url=server.url, timeout=60) as stranger:
            told = stranger.get("/api/v1/runs")
            assert problem(told, 401)["code"] == "server.token"
            assert told.headers["www-authenticate"] == "Bearer"
            for wrong in ("Bearer", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", f"Basic {TOKEN}"):
                answer = stranger.get("/api/v1/runs", headers={"Authorization": wrong})
                assert answer.status_code == 401, wrong
            assert stranger.post("/api/v1/sql", json={"query": "SELECT 1"}).status_code == 401
            assert stranger.get("/docs").status_code == 401
            # The way in, and that the server lives, may be seen.
            assert stranger.get("/api/v1/health").status_code == 200


def test_a_login_gives_a_cookie_that_only_this_site_sends(machine: Machine) -> None:
    with (
        machine.serving(token=TOKEN) as server,
        httpx2.Client(base_url=server.url, timeout=60) as browser,
    ):
        html = {"Accept": "text/html"}
        led = browser.get("/runs", headers=html)
        assert led.status_code == 303
        assert led.headers["location"] == "/login?next=%2Fruns"
        assert browser.get("/login", headers=html).status_code == 200
        wrong = browser.post("/login", data={"token": "nonsense", "next": "/runs"})
        assert COOKIE not in wrong.cookies
        right = browser.post("/login", data={"token": TOKEN, "next": "/runs"})
        assert right.status_code == 303
        cookie = right.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert TOKEN not in cookie
        assert browser.get("/api/v1/runs").status_code == 200
        assert browser.get("/runs", headers=html).status_code == 200
        # A seal that was not made here opens nothing.
        forged = f"{int(time.time()) + 60}.{'0' * 64}"
        with httpx2.Client(base_url=server.url, cookies={COOKIE: forged}, timeout=60) as thief:
            assert thief.get("/api/v1/runs").status_code == 401


def test_a_login_leads_to_this_site_only(machine: Machine) -> None:
    with machine.serving(token=TOKEN) as server:
        for elsewhere in ("https://evil.example/", "//evil.example/", "/\\evil.example"):
            answer = server.post("/login", data={"token": TOKEN, "next": elsewhere})
            location = urlsplit(answer.headers.get("location", "/"))
            assert location.netloc in ("", urlsplit(server.url).netloc), elsewhere


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_another_name_is_not_answered(served: Served, host: str) -> None:
    assert problem(served.get("/api/v1/runs", headers={"Host": host}), 421)["code"] == "server.host"


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:8700", "LOCALHOST"])
def test_our_own_names_are(served: Served, host: str) -> None:
    assert served.get("/api/v1/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_another_site_cannot_change_anything(served: Served, headers: dict[str, str]) -> None:
    body = {"app": "pattern", "task": {"expression": "a"}}
    before = served.get("/api/v1/runs").json()["total"]
    for path in ("/api/v1/runs", "/api/v1/runs/last/stop", "/api/v1/sql", "/new/pattern"):
        told = problem(served.post(path, json=body, headers=headers), 403)
        assert told["code"] == "server.cross_site"
    assert served.get("/api/v1/runs").json()["total"] == before


@pytest.mark.parametrize("value", ["²².x", "٣.x", "9" * 5_000 + ".x", ".", "1e9.x"])
def test_what_is_no_session_is_no_defect(value: str) -> None:
    scope = {
        "type": "http",
        "headers": [(b"cookie", f"{COOKIE}={value}".encode("latin-1", "ignore"))],
    }
    assert not Access(token=TOKEN).admits(HTTPConnection(scope))


@pytest.mark.parametrize("host", ["[::1", "a b", "a/b", "a@b", "name:1234567", ""])
def test_what_names_no_host_is_refused(host: str) -> None:
    for access in (Access(), Access(host="0.0.0.0", token=TOKEN)):
        assert not access.names_us(host)


def test_any_name_may_lead_to_a_server_with_a_token() -> None:
    access = Access(host="0.0.0.0", token=TOKEN)
    for host in ("example.org", "example.org:8700", "10.0.0.1:80", "[fe80::1]:80"):
        assert access.names_us(host)


def test_our_own_pages_and_programs_can(served: Served) -> None:
    body = {"query": "SELECT 1"}
    host = urlsplit(served.url).netloc
    for headers in (
        {},
        {"Origin": f"http://{host}"},
        {"Sec-Fetch-Site": "same-origin", "Origin": f"http://{host}"},
        {"Sec-Fetch-Site": "none"},
    ):
        assert served.post("/api/v1/sql", json=body, headers=headers).status_code == 200, headers


def test_another_site_may_lead_here_but_not_look(served: Served) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert served.get("/runs", headers=followed).status_code == 200
    embedded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert served.get("/api/v1/runs", headers=embedded).status_code == 403


@pytest.mark.parametrize("path", ["/api/v1/runs", "/api/v1/nowhere", "/runs", "/docs", "/nowhere"])
def test_every_answer_is_sealed(served: Served, path: str) -> None:
    headers = served.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_a_large_body_is_refused_before_it_is_read(served: Served) -> None:
    host, port = urlsplit(served.url).hostname, urlsplit(served.url).port
    with socket.create_connection((host, port), timeout=60) as raw:
        raw.sendall(
            b"POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 9000000000\r\n\r\n"
        )
        assert raw.recv(100).startswith(b"HTTP/1.1 413")


def test_a_large_body_of_unknown_length_is_cut_off(served: Served) -> None:
    def endless() -> object:
        for _ in range(200):
            yield b"x" * 100_000

    headers = {"content-type": "application/json"}
    try:
        answer = served.post("/api/v1/sql", content=endless(), headers=headers)
    except httpx2.TransportError:
        # The server has hung up on us, which is as good.
        return
    assert problem(answer, 413)["code"] == "server.too_large"


def test_the_rate_of_a_client_is_bounded() -> None:
    rates = Rates(Limits(requests_per_second=1.0, burst=5.0, clients=3))
    assert [rates.wait("one") for _ in range(5)] == [0] * 5
    assert rates.wait("one") >= 1
    assert rates.wait("two") == 0
    # Those who were not seen for the longest are forgotten, never the one who asks now.
    for name in ("three", "four", "five"):
        assert rates.wait(name) == 0


def test_guessing_is_slowed_down(machine: Machine) -> None:
    with (
        machine.serving(token=TOKEN) as server,
        httpx2.Client(base_url=server.url, timeout=60) as stranger,
    ):
        wrong = {"Authorization": "Bearer another-token-of-enough-letters"}
        for _ in range(200):
            answer = stranger.get("/api/v1/runs", headers=wrong)
            if answer.status_code == 429:
                break
        assert problem(answer, 429)["code"] == "server.rate"
        assert int(answer.headers["retry-after"]) >= 1


def test_secrets_are_in_no_answer(machine: Machine) -> None:
    machine.variables["OPENAI_API_KEY"] = "sk-not-to-be-told-1234567890"
    machine.variables["PROVEOUT_MODEL__BASE_URL"] = "http://user:hidden-word@localhost:9/v1"
    with machine.serving() as server:
        run = server.finish(server.start(expression="a"))["run"]
        paths = ["settings", "doctor", "runs", f"runs/{run}", f"runs/{run}/events", "openapi.json"]
        for path in paths:
            text = server.get(f"/api/v1/{path}").text
            assert "sk-not-to-be-told" not in text, path
            assert "hidden-word" not in text, path
        rows = server.post("/api/v1/sql", json={"query": "SELECT body FROM events"}).text
        assert "hidden-word" not in rows

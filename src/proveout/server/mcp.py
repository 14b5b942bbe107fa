"""The MCP server: other agents get our apps as tools, over stdio or streamable HTTP.

Runs are ordinary runs in the ordinary journal, done in processes of their own, so that nothing but
the protocol is ever written to stdout. Errors are told as results: a message, and a hint.
"""

import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import uvicorn
from anyio import to_thread
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import ValidationError
from starlette.types import ASGIApp

from proveout import __version__
from proveout.kernel.errors import ProveoutError, UsageError
from proveout.kernel.proposer import explain
from proveout.server.access import Access
from proveout.server.desk import Desk
from proveout.server.guard import Guard
from proveout.server.mcp_offers import AnyOffer, offers
from proveout.server.mcp_running import Visit
from proveout.server.serving import bounded
from proveout.server.shapes import Complaint, Problem, Shape

PATH = "/mcp"
MOST_BODY_BYTES = 4_000_000
MOST_SESSIONS = 100
IDLE_SECONDS = 1800.0
INSTRUCTIONS = (
    "Proveout: models propose, deterministic code proves. Every answer is checked and journalled."
    " Paths are relative to the folder that the server was started in and must stay inside."
    " explain_run tells how any run came to its answer."
)
Context = ServerRequestContext[Desk]


def build(desk: Desk) -> Server[Desk]:
    """The server; it closes the desk when it ends."""
    offered = offers(desk.apps())

    async def list_tools(
        context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        del context, params
        return ListToolsResult(tools=[_tool(offer) for offer in offered.values()])

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        offer = offered.get(params.name)
        if offer is None:
            known = ", ".join(offered)
            raise MCPError(INVALID_PARAMS, f"unknown tool {params.name!r}; known: {known}")

        async def report(progress: float, message: str) -> None:
            await context.session.report_progress(progress, None, message)

        try:
            told = await offer.answer(Visit(desk, report), params.arguments or {})
        except ValidationError as error:
            return _failed(UsageError(f"bad arguments for {offer.name}: {explain(error)}"))
        except ProveoutError as error:
            return _failed(error)
        return _succeeded(told)

    @asynccontextmanager
    async def opened(_server: Server[Desk]) -> AsyncIterator[Desk]:
        # Whoever connects will soon ask; the processes that answer take seconds to start.
        desk.open()
        try:
            yield desk
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(desk.close)

    return Server(
        "proveout",
        version=__version__,
        title="Proveout",
        instructions=INSTRUCTIONS,
        lifespan=opened,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(desk: Desk) -> None:
    """Until the client closes our standard input."""

    async def serve() -> None:
        server = build(desk)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)


def http_app(desk: Desk, access: Access) -> ASGIApp:
    """Streamable HTTP at `/mcp`, behind the same guard as the pages."""
    names = ["localhost", "127.0.0.1", "[::1]", access.host]
    hosts = [*names, *(f"{name}:*" for name in names)]
    security = TransportSecuritySettings(
        # Elsewhere a token keeps strangers out, and the names of this machine are not known.
        enable_dns_rebinding_protection=access.is_loopback,
        allowed_hosts=hosts,
        allowed_origins=[f"http://{host}" for host in hosts],
    )
    app = build(desk).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BODY_BYTES,
        max_sessions=MOST_SESSIONS,
        session_idle_timeout=IDLE_SECONDS,
        transport_security=security,
    )
    return Guard(app, access)


def serve_http(desk: Desk, access: Access, listening: socket.socket) -> None:
    """Until it is interrupted; `listening` is bound already, so that its port is known."""
    try:
        uvicorn.Server(bounded(http_app(desk, access))).run(sockets=[listening])
    except KeyboardInterrupt:
        # Raised again by uvicorn once everything has ended; being asked to stop is no error here.
        return
    finally:
        listening.close()


def _tool(offer: AnyOffer) -> Tool:
    return Tool(
        name=offer.name,
        title=offer.title,
        description=offer.description,
        input_schema=offer.takes.model_json_schema(),
        output_schema=offer.gives.model_json_schema(),
        annotations=ToolAnnotations(
            title=offer.title,
            read_only_hint=offer.read_only,
            destructive_hint=offer.destructive,
            idempotent_hint=offer.idempotent,
            open_world_hint=offer.open_world,
        ),
    )


def _succeeded(told: Shape) -> CallToolResult:
    data = told.model_dump(mode="json")
    text = json.dumps(data, ensure_ascii=False)
    return CallToolResult(content=[TextContent(text=text)], structured_content=data)


def _failed(error: ProveoutError) -> CallToolResult:
    problem = Problem(error=Complaint(code=error.code, message=error.message, hint=error.hint))
    text = f"{error.message}\n{error.hint}" if error.hint else error.message
    return CallToolResult(
        content=[TextContent(text=text)],
        structured_content=problem.model_dump(mode="json"),
        is_error=True,
    )

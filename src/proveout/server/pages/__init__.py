"""The pages: HTML that works without script, each with a JSON twin."""

from proveout.server.pages.router import router_of

__all__ = ["router_of"]

"""The pages: HTML that works without script, each with a JSON twin."""

from proveout.server.pages.router import site_of

__all__ = ["site_of"]

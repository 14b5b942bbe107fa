"""The company's wiki, written from the hidden policy in wordings that differ between worlds."""

from proveout.apps.solver.world.wiki.book import write_wiki
from proveout.apps.solver.world.wiki.handbook import Handbook

__all__ = ["Handbook", "write_wiki"]

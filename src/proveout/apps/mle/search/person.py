"""Where a person may step in: bring a model along, say which blocks may be refined.

What is wanted is read at certain points of a search and written down there, so that a resumed run
and a replay come to the same decisions, whatever is wanted by then.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from proveout.apps.mle.experts.cards import CARDS
from proveout.apps.mle.experts.extraction import blocks_of
from proveout.apps.mle.roles import INIT
from proveout.apps.mle.scripts.describing import description
from proveout.apps.mle.scripts.outputs import RetrievedModel
from proveout.apps.mle.scripts.protocol import protocol
from proveout.apps.mle.search.finishing import provisional
from proveout.apps.mle.search.mending import mend
from proveout.apps.mle.search.proposers import ScriptProposer, block_named
from proveout.apps.mle.search.searching import (
    FIRST_SHARE,
    LEAST_LAST_SHARE,
    SHORTEST_SCRIPT_SECONDS,
    Search,
)
from proveout.kernel.errors import UnknownName

PAUSE = "pause"
"""What is observed at a point where a search may be paused: whoever watches may stop it there."""


def listen(search: Search) -> bool:
    """Take what a person wants from here on; whether that is something else than before."""
    before = search.task
    said = search.context.observe("steering", lambda: _said(search))
    search.task = before.model_copy(update=said if isinstance(said, dict) else {})
    return search.task != before


def step_in(search: Search) -> None:
    """A pause point: stop if asked to, then go on as a person wants it by now."""
    search.context.observe(PAUSE, lambda: None)
    search.context.stop_if_asked()
    card = search.task.card
    if not listen(search):
        return
    if search.task.card not in ("", card):
        try_card(search)
    tell_unknown(search)


def try_card(search: Search) -> None:
    """One more first model, with what time there is."""
    seconds = search.left(LEAST_LAST_SHARE * search.seconds)
    if seconds < SHORTEST_SCRIPT_SECONDS:
        search.context.note(f"no time for {search.task.card}")
        return
    before, seconds = search.best, min(seconds, FIRST_SHARE * search.seconds)
    proposers = {
        f"card-{place}": written_for(search, model, seconds)
        for place, model in enumerate(brought(search))
    }
    made = search.trying(proposers, seconds)
    mend(search, made, seconds=seconds / 2)
    if search.best is not before:
        provisional(search)


def tell_unknown(search: Search) -> None:
    """No script may have a block that is pinned or forbidden: until one is there, nobody knows."""
    names = block_names(item.candidate.source for item in search.ranked)
    for wanted in filter(None, (search.task.pin, search.task.forbid)):
        if names and not any(wanted in name for name in names):
            search.context.note(f"no block is called {wanted!r}; there are: {', '.join(names)}")


def block_names(sources: Iterable[str]) -> list[str]:
    """What can be pinned and forbidden in these scripts, each name once."""
    found = (
        block_named(source, block.text)
        for source in sources
        for block in blocks_of(source)
        if block.working
    )
    return list(dict.fromkeys(found))


def brought(search: Search) -> list[RetrievedModel]:
    """The model that a person brings along: a script of his own, or a name."""
    card = search.task.card
    if not card:
        return []
    path = Path(card).expanduser()
    known = search.context.observe(
        "card", lambda: path.read_text(encoding="utf-8") if path.is_file() else ""
    )
    name = path.stem if known else card
    return [RetrievedModel(model_name=name, example_code=str(known) or name)]


def demand_card(card: str) -> None:
    """Experts write scripts for models that they know; any other must come as a script.

    Raises:
        UnknownName: if it is neither.
    """
    if card and card not in CARDS and not Path(card).expanduser().is_file():
        raise UnknownName(card, noun="model", known=CARDS)


def told(search: Search) -> dict[str, Any]:
    """What is known to whoever names models, or writes a first script."""
    return {
        "task": search.task,
        "problem": search.problem,
        "protocol": protocol(search.problem),
        "task_description": description(Path(search.task.folder), search.problem),
        "M": search.task.models,
    }


def written_for(search: Search, model: RetrievedModel, seconds: float) -> ScriptProposer:
    """Has a first script written for a model; it may run so long."""
    return ScriptProposer(
        role=INIT,
        origin=f"init:{model.model_name}",
        variables={
            **told(search),
            "model_name": model.model_name,
            "example_code": model.example_code,
            "seconds": seconds,
        },
    )


def _said(search: Search) -> JsonValue:
    """What is wanted now; a card that nobody can make a script of is not even written down."""
    card = str(search.wanted.get("card", ""))
    if card != search.task.card and search.context.model_for(INIT.name).name == "offline":
        demand_card(card)
    return dict(search.wanted)

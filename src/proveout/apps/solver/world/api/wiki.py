"""Routes of the wiki."""

import re

from proveout.apps.solver.world.api.body import ApiError, Body, JsonObject, not_found
from proveout.apps.solver.world.api.state import TaskState

_MOST_HITS = 5
_CONTEXT = 2
_LONGEST_PATTERN = 300


def list_pages(state: TaskState, _body: Body) -> JsonObject:
    return {"paths": sorted(state.wiki) or None, "sha1": state.digest}


def load_page(state: TaskState, body: Body) -> JsonObject:
    path = body.required("file")
    if path not in state.wiki:
        raise not_found()
    return {"file": path, "content": state.wiki[path]}


def search_pages(state: TaskState, body: Body) -> JsonObject:
    """The first lines that match, in path order, each with the lines around it."""
    query = body.required("query_regex")
    if len(query) > _LONGEST_PATTERN:
        text = "error parsing regexp: expression too long"
        raise ApiError(400, text)
    try:
        pattern = re.compile(query)
    except re.error as error:
        text = f"error parsing regexp: {error}"
        raise ApiError(400, text) from None
    hits: list[JsonObject] = []
    for path in sorted(state.wiki):
        lines = state.wiki[path].split("\n")
        for place, line in enumerate(lines):
            if len(hits) == _MOST_HITS:
                return {"results": hits}
            if pattern.search(line):
                around = lines[max(0, place - _CONTEXT) : place + _CONTEXT + 1]
                hits.append({"content": "\n".join(around), "linum": place + 1, "path": path})
    return {"results": hits or None}


def update_page(state: TaskState, body: Body) -> JsonObject:
    state.rewrite(body.required("file"), body.text("content"))
    return {}

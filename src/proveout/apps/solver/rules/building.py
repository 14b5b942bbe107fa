"""Making a rule from what a matcher found: its source, and an id that means the same next time."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from proveout.apps.solver.rules.blocks import Page, Span
from proveout.apps.solver.rules.cast import Cast
from proveout.apps.solver.rules.ir import Rule, Source

_RULE: TypeAdapter[Rule] = TypeAdapter(Rule)


@dataclass(frozen=True)
class Ground:
    """What every matcher may know beside the statement."""

    cast: Cast
    paths: tuple[str, ...]
    """Paths of all pages of the wiki."""
    supersedes: bool = False


def source_of(page: Page, anchor: str, span: Span) -> Source:
    return Source(
        page=page.path, anchor=anchor, quote=page.text[span.start : span.end], start=span.start
    )


def make(
    kind: str, subject: str, source: Source, ground: Ground, values: Mapping[str, object]
) -> Rule:
    """A rule whose id depends on its page and meaning, not on where on the page it stands."""
    meaning = _RULE.validate_python(
        {"kind": kind, "id": "", "source": Source(page="", anchor="", quote=""), **values}
    )
    digest = hashlib.sha256(f"{source.page}\n{meaning.model_dump_json()}".encode()).hexdigest()[:8]
    return meaning.model_copy(
        update={
            "id": f"{kind}.{subject}.{digest}",
            "source": source,
            "supersedes": ground.supersedes,
        }
    )

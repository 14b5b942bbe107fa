"""What the properties are tried on."""

from typing import Any, get_args

from hypothesis import strategies as st
from pydantic import JsonValue

from proveout.kernel.lessons import KIND_OF, TOPICS_OF, Operation, Origin, Patch

# Minus zero equals zero but is spelled otherwise: equal values of one sign only.
numbers = st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)
leaves = st.none() | st.booleans() | st.integers() | numbers | st.text()
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)

names = st.sampled_from(["a", "b", "c.d", "words.short"])
advice = st.sampled_from(["Use more letters.", "use  more letters", "Use fewer.", "Ask first!"])


@st.composite
def patches(draw: st.DrawFn) -> Patch:
    """Patches of few subjects and slots, so that they meet."""
    operation: Operation = draw(st.sampled_from(get_args(Operation)))
    topic: Any = draw(st.sampled_from(sorted(TOPICS_OF[KIND_OF[operation]])))
    origin = draw(st.none() | st.builds(Origin, run=names, key=names, code=names))
    return Patch(
        operation=operation,
        topic=topic,
        subject=draw(names),
        slot=draw(st.sampled_from(["", "", "x", "y"])),
        advice=draw(advice),
        role=draw(st.sampled_from(["", "", "words/propose", "words/other"])),
        origin=origin,
    )

"""For all texts: reading a reply ends with a value that can be kept, or with a finding."""

import json
import string

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from proveout.kernel.canonical import canonical
from proveout.kernel.ports import Reply, StopReason
from proveout.kernel.proposer import read_reply
from proveout.kernel.types import Frozen, Malformed
from tests.property.values import json_values


class Anything(Frozen):
    value: JsonValue
    weight: float = 0.0


stops: st.SearchStrategy[StopReason] = st.sampled_from(["end", "length", "refusal", "oversized"])
pieces = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        "value",
        ":",
        ",",
        "```",
        "json",
        "\n",
        "\\",
        "1e999",
        "NaN",
        "\\ud800",
    ]
)
noise = st.text() | st.lists(pieces, max_size=40).map("".join)
prose = st.text(alphabet=string.ascii_letters + string.whitespace + ".,!?ü")


@given(noise, st.none() | json_values, stops)
def test_every_reply_is_a_writable_value_or_a_finding(
    text: str, value: JsonValue, stop: StopReason
) -> None:
    answer = read_reply(Reply(text=text, value=value, stop=stop), Anything)
    if isinstance(answer, Malformed):
        assert answer.finding().code.startswith("proposal.")
    else:
        written = canonical(answer)
        assert written.encode()
        assert Anything.model_validate(json.loads(written)) == answer


@given(json_values, prose, prose, st.booleans())
def test_a_value_in_prose_is_found(value: JsonValue, before: str, after: str, fenced: bool) -> None:
    spelled = json.dumps({"value": value})
    middle = f"\n```json\n{spelled}\n```\n" if fenced and "```" not in spelled else spelled
    assert read_reply(Reply(text=before + middle + after), Anything) == Anything(value=value)


@given(json_values)
def test_a_native_value_is_taken_as_it_is(value: JsonValue) -> None:
    plain: JsonValue = {"value": value}
    for native in (plain, {"answer": plain}):
        assert read_reply(Reply(value=native), Anything) == Anything(value=value)


@given(noise, stops)
def test_free_text_is_never_changed(text: str, stop: StopReason) -> None:
    answer = read_reply(Reply(text=text, stop=stop), str)
    assert isinstance(answer, Malformed) or answer == text

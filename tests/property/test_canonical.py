"""For all values: one spelling, a faithful one, and a name that depends on nothing else."""

import json

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from proveout.kernel.canonical import canonical, chain_id, content_id, value_id
from tests.property.values import json_values


@given(json_values)
def test_a_spelling_can_be_read_back(value: JsonValue) -> None:
    assert json.loads(canonical(value)) == value


@given(st.dictionaries(st.text(), json_values, min_size=2), st.randoms(use_true_random=False))
def test_equal_values_are_spelled_equally(value: dict[str, JsonValue], dice: object) -> None:
    keys = list(value)
    dice.shuffle(keys)  # type: ignore[attr-defined]
    assert canonical({key: value[key] for key in keys}) == canonical(value)
    assert canonical(json.loads(json.dumps(value))) == canonical(value)


@given(json_values, json_values)
def test_different_values_have_different_names(first: JsonValue, second: JsonValue) -> None:
    assert (canonical(first) == canonical(second)) == (value_id(first) == value_id(second))


@given(st.binary(min_size=1), st.data())
def test_any_changed_byte_changes_the_name(content: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(content) - 1))
    changed = bytearray(content)
    changed[place] ^= data.draw(st.integers(1, 255))
    assert content_id(bytes(changed)) != content_id(content)


@given(st.text(), st.text())
def test_a_link_depends_on_both_of_its_parts(parent: str, body: str) -> None:
    name = chain_id(parent, body)
    assert name != chain_id(parent + "0", body)
    assert name != chain_id(parent, body + " ")

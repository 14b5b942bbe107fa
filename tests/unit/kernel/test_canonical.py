"""One spelling per value, and names that follow from content alone."""

import hashlib

import pytest
from pydantic import JsonValue

from proveout.kernel.canonical import GENESIS, canonical, chain_id, content_id, plain, value_id
from proveout.kernel.types import Finding


def test_keys_are_sorted_and_spaces_left_out() -> None:
    assert canonical({"b": [1, None, True], "a": {"d": 1.5, "c": "ü"}}) == (
        '{"a":{"c":"ü","d":1.5},"b":[1,null,true]}'
    )


def test_a_model_is_spelled_like_its_values() -> None:
    finding = Finding(code="a.b", message="m")
    assert canonical(finding) == canonical(plain(finding))
    assert plain([1]) == [1]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_does_not_have_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"score": number})


def test_a_content_id_is_the_tagged_hash_of_the_bytes() -> None:
    assert content_id(b"abc") == "sha256:" + hashlib.sha256(b"abc").hexdigest()


def test_value_ids_do_not_depend_on_the_order_of_keys() -> None:
    first: JsonValue = {"a": 1, "b": 2}
    second: JsonValue = {"b": 2, "a": 1}
    assert value_id(first) == value_id(second)
    assert value_id(first) != value_id({"a": 1, "b": 3})


def test_a_link_covers_its_parent_and_its_body() -> None:
    first = chain_id(GENESIS, "body")
    assert first != chain_id(first, "body")
    assert first != chain_id(GENESIS, "bodY")

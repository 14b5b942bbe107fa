"""Numbers that nobody measured are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.apps.iqa.language.numbers import numbers_grounded


@pytest.mark.parametrize(
    ("text", "loose"),
    [
        ("It rates 3.14 of 5.", []),
        ("It rates 3.1 of 5, from 1 to 5.", []),
        ("It rates 3.2.", ["3.2"]),
        ("3 px wide over 42 % of the frame", []),
        ("43 percent", ["43"]),
        ("JPEG 2000 and JPEG2000 artefacts", []),
        ("about 1,200 pixels", []),
        ("1201 pixels", ["1201"]),
        ("-3.14 and +3.14", []),
        ("version v3 of x2", []),
        ("３.１４ in full width, 9 not", ["9"]),
        ("steps at 8-pixel borders, 8 × 8 blocks, 42 of 255 levels", ["42"]),
        ("", []),
    ],
)
def test_numbers_are_traced_to_the_evidence(text: str, loose: list[str]) -> None:
    assert numbers_grounded(text, {"a": 3.1416, "share": 0.42, "n": 1200.0}) == loose


@given(st.floats(-1e6, 1e6, allow_nan=False), st.integers(0, 6))
def test_a_rounded_value_is_grounded(value: float, digits: int) -> None:
    assert numbers_grounded(f"it is {value:.{digits}f}", [value]) == []


def test_a_list_of_numbers_will_do() -> None:
    assert numbers_grounded("2.5 and 7", [2.5]) == ["7"]

"""Values: frozen, closed, and with the few rules they carry themselves."""

from typing import get_args

import pytest
from pydantic import ValidationError

from proveout.kernel.types import (
    Attempt,
    Finding,
    Malformed,
    MalformedReason,
    Picture,
    Severity,
    Usage,
    Verdict,
)


def finding(severity: Severity) -> Finding:
    return Finding(code="a.b", message="m", severity=severity)


def test_values_do_not_change_and_know_all_their_fields() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        finding("info").code = "c"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="Extra inputs"):
        Finding.model_validate({"code": "a", "message": "m", "extra": 1})


@pytest.mark.parametrize(
    ("severities", "accepted"),
    [((), True), (("info", "warning"), True), (("warning", "error"), False), (("error",), False)],
)
def test_only_an_error_rejects(severities: tuple[Severity, ...], accepted: bool) -> None:
    verdict = Verdict(findings=tuple(finding(severity) for severity in severities))
    assert verdict.accepted is accepted
    attempt = Attempt(key="#0", round=0, proposal=finding("info"), verdict=verdict)
    assert attempt.accepted is accepted


def test_usage_adds_up_and_taking_away_undoes_it() -> None:
    first = Usage(calls=1, input_tokens=2, output_tokens=3, cost_usd=0.1, unpriced_tokens=5)
    second = Usage(calls=10, input_tokens=20, output_tokens=30, cost_usd=0.2, unpriced_tokens=50)
    both = first + second
    assert (both.calls, both.tokens, both.unpriced_tokens) == (11, 55, 55)
    assert both.cost_usd == pytest.approx(0.3)
    assert both - second == first


def test_a_rest_of_money_is_never_negative() -> None:
    third = Usage(cost_usd=0.1)
    assert (third + third + third - Usage(cost_usd=0.3)).cost_usd == 0.0
    assert (Usage(cost_usd=0.1) - Usage(cost_usd=0.2)).cost_usd == 0.0


@pytest.mark.parametrize("reason", get_args(MalformedReason))
def test_every_kind_of_malformed_reply_is_an_error_with_advice(reason: MalformedReason) -> None:
    found = Malformed(reason=reason).finding()
    assert found.code == f"proposal.{reason}"
    assert found.severity == "error"
    assert found.hint
    assert reason in found.message


def test_the_validators_words_are_the_message() -> None:
    assert Malformed(problem="word: missing").finding().message == "word: missing"


def test_a_picture_does_not_print_its_bytes() -> None:
    assert "content" not in repr(Picture("image/png", b"\x89PNG"))

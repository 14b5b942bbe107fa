"""The tool bank: finding, describing, running, falling back, remembering."""

import math
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.frame import Floats, Frame
from proveout.apps.iqa.intake import load
from proveout.apps.iqa.tools.bank import default_bank, fitted_numbers, shipped_tools
from proveout.apps.iqa.tools.curve import Logistic
from proveout.apps.iqa.tools.planes import Measured
from proveout.apps.iqa.tools.plugins import PACKAGES, plugin_tools
from proveout.apps.iqa.tools.registry import ToolBank
from proveout.apps.iqa.tools.tool import Tool
from proveout.kernel.errors import PrerequisiteError, ProveoutError, UnknownName, UsageError
from tests.unit.iqa.pairs import DISTORTIONS, distorted, photo

COFFEE = photo("coffee")[:200, :240]
REFERENCE, NOISY = load(COFFEE), load(distorted(COFFEE, "noise"))
FLAT_CURVE = Logistic(0.0, 1.0, 0.0, 1.0, 0.0)


def plain(name: str, call: Callable[[Frame], float]) -> Tool:
    return Tool(name, "NR", "higher", (1.0, 5.0), "For tests.", call, curve=FLAT_CURVE)


def bank_of(*calls: tuple[str, Callable[[Frame], float]], seconds: float = 20.0) -> ToolBank:
    tools = [plain(name, call) for name, call in calls]
    return ToolBank(tools, seconds=seconds, cache_size=3, fallbacks={"NR": ("steady",), "FR": ()})


def steady(frame: Frame) -> float:
    return 2.0 + float(frame.rgb.mean())


def broken(frame: Frame) -> float:
    message = f"no idea what to do with {frame.width} columns"
    raise ValueError(message)


CURVED = [tool for tool in shipped_tools() if tool.curve]


def test_every_full_reference_tool_has_a_curve() -> None:
    assert {tool.name for tool in shipped_tools() if tool.kind == "FR"} <= {
        tool.name for tool in CURVED
    }


@pytest.mark.parametrize("tool", CURVED, ids=lambda tool: tool.name)
def test_every_shipped_curve_is_monotone_on_its_range_and_reaches_the_top(tool: Tool) -> None:
    assert tool.curve is not None
    low, high = tool.range
    rising = tool.direction == "higher"
    assert tool.curve.monotone(low, high, rising=rising)
    best, worst = (high, low) if rising else (low, high)
    good, bad = tool.quality(best), tool.quality(worst)
    assert good is not None
    assert bad is not None
    assert good > 3.5
    assert bad < 3
    assert tool.available()


def test_logistic_has_the_one_that_the_printed_formula_lacks() -> None:
    curve = Logistic(4.0, 1.0, 3.0, 0.0, 3.0)
    assert curve.quality(3.0) == pytest.approx(3.0)
    assert curve.free(1e9) == pytest.approx(5.0)
    assert curve.free(-1e9) == pytest.approx(1.0)


def test_curves_that_turn_back_are_noticed() -> None:
    assert not Logistic(-4.0, 2.0, 0.5, 1.0, 0.0).monotone(0, 1, rising=True)
    assert Logistic(-4.0, 2.0, 0.5, -1.0, 0.0).monotone(0, 1, rising=False)


def test_fitted_numbers_carry_their_origin_and_validation() -> None:
    fit = fitted_numbers()["fit"]
    assert "I01 to I12" in fit["data"]
    assert len(fit["pictures_sha256"]) == 64
    for numbers in fitted_numbers()["tools"].values():
        assert 0.1 < numbers.get("left_out", {"srcc": 0.5})["srcc"] < 1
        assert set(numbers["strengths"]) <= set(CATALOGUE)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("vsi", "VSI"),
        ("ms ssim", "MS-SSIM"),
        ("MSSSIM", "MS-SSIM"),
        ("fsim", "FSIMc"),
        ("VIF", "VIFp"),
    ],
)
def test_names_are_found_in_any_spelling(asked: str, found: str) -> None:
    assert default_bank().get(asked).name == found


def test_misspelled_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="HaarPSI"):
        default_bank().get("haarspi")


def test_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(UnknownName, match="known"):
        default_bank().get("Q-Align")


def test_tools_are_found_by_kind() -> None:
    bank = default_bank([plain("own", steady)])
    assert "own" in bank.names("NR")
    assert "own" not in bank.names("FR")
    assert set(bank.names()) == set(bank.names("FR")) | set(bank.names("NR"))


@pytest.mark.parametrize("asked", ["JPEG", "jpeg 2000", "Blurs", "noise", "gaussian_blur"])
def test_tools_are_found_by_distortion_and_by_category(asked: str) -> None:
    tools = default_bank().get_tools_for_distortion(asked)
    assert tools
    assert default_bank().get_tools_for_distortion(asked, "NR") == tuple(
        tool for tool in tools if tool.kind == "NR"
    )


def test_unknown_distortion_has_no_tools() -> None:
    assert default_bank().get_tools_for_distortion("bad mood") == ()


def test_descriptions_follow_the_reference_mode() -> None:
    bank = default_bank([plain("own", steady)])
    without, with_reference = bank.describe("No-Reference"), bank.describe("Full-Reference")
    assert "own" in without
    assert "VSI" not in without
    assert "VSI" in with_reference
    assert all(line.startswith("- ") for line in with_reference.splitlines())


@pytest.mark.parametrize("tool", default_bank().names("FR"))
def test_every_full_reference_tool_tells_noise_from_nothing(tool: str) -> None:
    bank = default_bank()
    clean, noisy = bank.run(tool, REFERENCE, REFERENCE), bank.run(tool, NOISY, REFERENCE)
    assert clean.quality is not None
    assert noisy.quality is not None
    assert clean.quality == 5.0
    assert 1 <= noisy.quality < 4.3
    assert not clean.fallback
    assert not noisy.fallback


@pytest.mark.parametrize("distortion", DISTORTIONS)
def test_loss_maps_are_finite_and_not_empty(distortion: str) -> None:
    bank = default_bank()
    test = load(distorted(COFFEE, distortion))
    for name in bank.names("FR"):
        loss = bank.loss_map(name, test, REFERENCE)
        assert np.isfinite(loss).all()
        assert loss.max() > 0


def test_full_reference_tool_without_reference_is_refused() -> None:
    with pytest.raises(UsageError, match="reference"):
        default_bank().run("VSI", NOISY)


def test_reference_of_another_picture_is_refused_and_not_papered_over() -> None:
    with pytest.raises(UsageError, match="same thing"):
        default_bank().run("VSI", load(photo("rocket")[:200, :240]), REFERENCE)


def not_a_number(frame: Frame) -> float:
    return math.nan * frame.width


def endless(frame: Frame) -> float:
    time.sleep(1.5)
    return float(frame.width)


@pytest.mark.parametrize(
    ("call", "word"), [(broken, "no idea"), (not_a_number, "nan"), (endless, "longer than")]
)
def test_failing_tool_is_replaced_and_the_result_says_so(
    call: Callable[[Frame], float], word: str
) -> None:
    bank = bank_of(("odd", call), ("steady", steady), seconds=0.3)
    result = bank.run("odd", NOISY)
    assert (result.asked, result.tool, result.fallback) == ("odd", "steady", True)
    assert word in result.error
    assert result.quality == pytest.approx(steady(NOISY))
    assert bank.cache_counts.size == 0


def test_error_is_raised_when_the_fallback_fails_too() -> None:
    with pytest.raises(ProveoutError, match="no tool could"):
        bank_of(("steady", broken)).run("steady", NOISY)


def test_tool_of_a_missing_module_is_unavailable_and_replaced() -> None:
    missing = Tool("gone", "NR", "higher", (1, 5), "Missing.", "no_such_package.tools:measure")
    bank = ToolBank([missing, plain("BRISQUE", steady)])
    assert not missing.available()
    assert bank.run("gone", NOISY).tool == "BRISQUE"


def test_results_are_remembered_by_content() -> None:
    calls: list[str] = []

    def counted(frame: Frame) -> float:
        calls.append(frame.facts.sha256)
        return 3.0

    bank = bank_of(("counted", counted))
    first, again = bank.run("counted", NOISY), bank.run("Counted", load(distorted(COFFEE, "noise")))
    assert (first.cached, again.cached, len(calls)) == (False, True, 1)
    bank.run("counted", REFERENCE)
    assert len(calls) == 2
    assert bank.cache_counts[:2] == (1, 2)


def test_full_reference_results_depend_on_the_reference_too() -> None:
    bank = default_bank()
    against_clean = bank.run("PSNR", NOISY, REFERENCE)
    against_itself = bank.run("PSNR", NOISY, NOISY)
    assert against_clean.raw < 40 < against_itself.raw
    assert bank.cache_counts == (0, 2, 2)


def test_oldest_result_leaves_a_full_cache() -> None:
    bank = bank_of(("steady", steady))
    frames = [load(np.full((16, 16, 3), level, np.uint8)) for level in (10, 20, 30, 40)]
    for frame in frames:
        bank.run("steady", frame)
    assert bank.cache_counts.size == 3
    assert not bank.run("steady", frames[0]).cached
    assert bank.run("steady", frames[3]).cached


def test_bank_can_be_used_from_several_threads() -> None:
    bank = default_bank()
    values: list[float] = []
    threads = [
        threading.Thread(target=lambda: values.append(bank.run("GMSD", NOISY, REFERENCE).raw))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(values) == 6
    assert len(set(values)) == 1


def test_tool_without_a_curve_gives_its_raw_value_only() -> None:
    def fixed(reference: Floats, test: Floats) -> Measured:
        return Measured(7.0, np.abs(test - reference)[..., 0])

    bank = ToolBank([Tool("raw", "FR", "higher", (0, 9), "Raw.", fixed)])
    result = bank.run("raw", NOISY, REFERENCE)
    assert (result.raw, result.quality) == (7.0, None)
    assert bank.run("raw", NOISY, NOISY).quality == 5.0


@pytest.mark.parametrize("package", PACKAGES)
def test_optional_package_is_used_or_named_as_missing(package: str) -> None:
    try:
        tools = plugin_tools(package)
    except PrerequisiteError as error:
        assert package in error.hint  # noqa: PT017 - either outcome is right
        return
    assert all(tool.name.startswith(f"{package}:") for tool in tools)


def test_unknown_package_is_refused() -> None:
    with pytest.raises(UnknownName, match="piq"):
        plugin_tools("piqq")

"""The offline expert of the leakage role: answers in the specification's own words."""

from typing import TYPE_CHECKING

from proveout.apps.mle.leakage.examining import examine
from proveout.apps.mle.leakage.repairing import changed_region, repair

if TYPE_CHECKING:
    from proveout.apps.mle.models import LeakageDetectionOutput


def detection(source: str) -> "LeakageDetectionOutput":
    """One answer for what can be repaired at once, one for each other leaking statement.

    Every block is an exact substring of the source; without a leak, the first statement that
    trains stands for the preprocessing that was looked at.
    """
    from proveout.apps.mle.models import LeakageAnswer, LeakageDetectionOutput

    report = examine(source)
    region = _region(source)
    blocks = [region[0]] if region else []
    for leak in report.leaks:
        if leak.block.strip() and not any(leak.block in block for block in blocks):
            blocks.append(leak.block)
    if blocks:
        answers = [
            LeakageAnswer(leakage_status="Yes Data Leakage", code_block=block) for block in blocks
        ]
    else:
        answers = [LeakageAnswer(leakage_status="No Data Leakage", code_block=_looked_at(source))]
    return LeakageDetectionOutput(answers=answers)


def correct(source: str, block: str = "") -> str | None:
    """The block without its leak; the whole program where the repair reaches beyond the block."""
    repaired = repair(source)
    if repaired is None:
        return None
    region = changed_region(source, repaired)
    if region is None:
        return repaired
    old, new = region
    if block == old:
        return new
    if block and old in block:
        return block.replace(old, new, 1)
    return repaired


def _region(source: str) -> tuple[str, str] | None:
    """What a repair changes, if replacing it at its first occurrence is the repair."""
    repaired = repair(source)
    region = changed_region(source, repaired) if repaired is not None else None
    if region is None or repaired is None or source.replace(*region, 1) != repaired:
        return None
    return region


def _looked_at(source: str) -> str:
    lines = [line for line in source.splitlines() if line.strip()]
    preparing = [line for line in lines if "fit" in line or "split" in line]
    return (preparing or lines or [""])[0]

"""How numbers, times and sizes read, the same in every format."""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic import JsonValue

from proveout.kernel.panels import Cell, Status

MINUS = "\u2212"
STATUS_WORDS: Mapping[Status, str] = {
    "accepted": "Accepted",
    "rejected": "Not accepted",
    "pending": "Not decided",
}
STATUS_MARKS: Mapping[Status, str] = {"accepted": "✓", "rejected": "✗", "pending": "○"}


def number(value: float, digits: int | None = None) -> str:
    """Thousands parted, six significant places unless `digits` fixes the decimals."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("\u221e" if value > 0 else f"{MINUS}\u221e")
    if digits is not None:
        text = f"{value:,.{digits}f}" if abs(value) < 1e15 else f"{value:.{digits}e}"
    elif isinstance(value, int) or (value == int(value) and abs(value) < 1e15):
        text = f"{value:,.0f}" if abs(value) < 1e15 else f"{value:.6g}"
    else:
        text = f"{value:,.6g}"
    return text.replace("-", MINUS)


def cell(value: Cell, digits: int | None = None) -> str:
    """Yes and no for truth, nothing for nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else number(value, digits)


def money(usd: float) -> str:
    return f"${usd:,.2f}" if usd == 0 or usd >= 1 else f"${usd:.4f}"


def seconds(value: float) -> str:
    """`0.42 s`, `38 s`, `4 min 10 s`, `2 h 05 min`."""
    if value < 10:
        return f"{value:.2f} s"
    if value < 60:
        return f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes:02d} min"


def size(count: int) -> str:
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def moment(at: float) -> str:
    """UTC, so that a report reads the same wherever it was made."""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return "unknown time"


def count(amount: int, noun: str, plural: str = "") -> str:
    """`1 attempt`, `2 attempts`, `2 entries` where the plural is named."""
    return f"{amount:,} {noun if amount == 1 else plural or noun + 's'}"


def shortened(text: str, most: int) -> str:
    """One line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def json_text(value: JsonValue) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)

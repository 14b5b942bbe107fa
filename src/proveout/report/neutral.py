"""Takes the teeth out of text: what moves a cursor, turns a line or breaks a file becomes visible.

Pages quote models, scripts and data sets. Escaping markup is each renderer's work; control
characters are dangerous to all of them, so they are replaced once, before a renderer sees the page.
"""

import re
from typing import Any

from proveout.kernel.panels import Page

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, except tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the direction of what follows
    "\u2028\u2029\ufeff\ufff9-\ufffb\ufffe\uffff"  # invisible line breaks, marks, non-characters
    "\ud800-\udfff]"  # halves of a pair: cannot be encoded
)


def neutral(text: str) -> str:
    """The text with every unsafe character spelled out: `\\x1b` becomes `␛`, others `<U+202E>`."""
    return _UNSAFE.sub(_spelled, text.replace("\r\n", "\n"))


def neutral_page(page: Page) -> Page:
    """The page with all of its text neutral, wherever it stands."""
    return Page.model_validate(_neutral_value(page.model_dump()))


def _spelled(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def _neutral_value(value: Any) -> Any:
    if isinstance(value, str):
        return neutral(value)
    if isinstance(value, dict):
        return {key: _neutral_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_neutral_value(item) for item in value)
    return value

"""One spelling for every value, so that equal values have equal hashes.

Identifiers are tagged with their algorithm (`sha256:…`): a later algorithm can live beside this
one.
"""

import hashlib
import json

from pydantic import BaseModel, JsonValue

_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)

GENESIS = "sha256:" + "0" * 64
"""The parent of a chain's first link."""


def plain(value: BaseModel | JsonValue) -> JsonValue:
    """The JSON value of a model; JSON values pass through."""
    if isinstance(value, BaseModel):
        dumped: JsonValue = value.model_dump(mode="json")
        return dumped
    return value


def canonical(value: BaseModel | JsonValue) -> str:
    """Sorted keys, no spaces, no NaN: the only spelling that is ever hashed."""
    return _ENCODER.encode(plain(value))


def content_id(content: bytes) -> str:
    """The name of some bytes, derived from nothing but the bytes."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def value_id(value: BaseModel | JsonValue) -> str:
    return content_id(canonical(value).encode())


def chain_id(parent: str, body: str) -> str:
    """The name of a link: it covers the body and, through the parent, everything before it."""
    return content_id(f"{parent}\n{body}".encode())

"""Cities that a company may have a site in, with their names in other languages."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class City:
    name: str
    country: str
    demonym: str
    exonyms: Mapping[str, str]
    """Language tag to name."""
    near: tuple[str, ...] = ()
    """Real neighbours, for sites that lie near or between cities."""
    region: str = "english"
    """Where the names of local people come from (`names.py`)."""
    code: str = ""
    """Two-letter country code."""


def _read(table: str) -> tuple[City, ...]:
    text = files(__package__).joinpath("data", "places.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)[table]
    return tuple(City(**{**row, "near": tuple(row.get("near", ()))}) for row in rows)


CITIES: tuple[City, ...] = _read("city")
ELSEWHERE: tuple[City, ...] = _read("elsewhere")
"""Known places where no generated company has a site."""

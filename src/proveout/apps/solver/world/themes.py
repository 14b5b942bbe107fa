"""Industries: the vocabulary that a company of one kind uses."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Named(NamedTuple):
    """An id stem and what people call it."""

    stem: str
    label: str


class Segment(NamedTuple):
    """A kind of customer."""

    suffix: str
    """Ends the customer's name: "Ferries"."""
    what: str
    """What it is: "ferry operator"."""
    about: str
    """One sentence for the brief; it holds `what`."""


class Thing(NamedTuple):
    """What a project is about, and the same in other words."""

    name: str
    other: str


class Activity(NamedTuple):
    """What a project does, the same in other words, and a sentence that holds these."""

    name: str
    other: str
    about: str


@dataclass(frozen=True)
class Theme:
    key: str
    about: str
    nouns: tuple[str, ...]
    delivery: tuple[str, ...]
    production: tuple[str, ...]
    other: tuple[str, ...]
    skills: tuple[Named, ...]
    segments: tuple[Segment, ...]
    objects: tuple[Thing, ...]


@dataclass(frozen=True)
class Common:
    activities: tuple[Activity, ...]
    internal_objects: tuple[Thing, ...]
    skills: tuple[Named, ...]
    wills: tuple[Named, ...]


@cache
def read_themes() -> tuple[Common, tuple[Theme, ...]]:
    text = files(__package__).joinpath("data", "themes.toml").read_text(encoding="utf-8")
    raw = tomllib.loads(text)
    common = Common(
        activities=tuple(Activity(*row) for row in raw["common"]["activities"]),
        internal_objects=tuple(Thing(*row) for row in raw["common"]["internal_objects"]),
        skills=tuple(Named(*row) for row in raw["common"]["skills"]),
        wills=tuple(Named(*row) for row in raw["common"]["wills"]),
    )
    themes = tuple(
        Theme(
            key=row["key"],
            about=row["about"],
            nouns=tuple(row["nouns"]),
            delivery=tuple(row["delivery"]),
            production=tuple(row["production"]),
            other=tuple(row["other"]),
            skills=tuple(Named(*pair) for pair in row["skills"]),
            segments=tuple(Segment(*triple) for triple in row["segments"]),
            objects=tuple(Thing(*pair) for pair in row["objects"]),
        )
        for row in raw["theme"]
    )
    return common, themes

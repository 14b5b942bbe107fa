"""What pages tell besides rules, and small helpers for writing them."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from proveout.apps.solver.world.graph import Company, Department, Site, Trait


@dataclass(frozen=True)
class Handbook:
    company: Company
    about: str
    """What the company does, after its name: "makes cheese"."""
    sites: tuple[Site, ...]
    departments: tuple[Department, ...]
    skills: tuple[Trait, ...]
    wills: tuple[Trait, ...]
    ceo_name: str
    today: str


def page(title: str, *blocks: str) -> str:
    return "\n\n".join([f"# {title}", *(block for block in blocks if block)]) + "\n"


def section(title: str, *blocks: str) -> str:
    return "\n\n".join([f"## {title}", *(block for block in blocks if block)])


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def quoted(values: Sequence[str], word: str = "and") -> str:
    marked = [f"`{value}`" for value in values]
    if len(marked) < 2:
        return "".join(marked)
    return f"{', '.join(marked[:-1])} {word} {marked[-1]}"


def pick(rng: Random, *options: str) -> str:
    return rng.choice(options)

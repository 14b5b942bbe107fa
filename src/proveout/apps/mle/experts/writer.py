"""Writes a recipe down as a script that stands alone.

A script is made of functions of `blocks`, only those it needs, in blocks that comment lines open,
and of the few statements here that put them to work.
"""

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from proveout.apps.mle.experts import wording
from proveout.apps.mle.experts.cards import CARDS
from proveout.apps.mle.experts.features import STEPS, steps_of
from proveout.apps.mle.experts.library import Piece, library
from proveout.apps.mle.experts.ranges import SCALED
from proveout.apps.mle.experts.recipe import Member, Recipe
from proveout.apps.mle.experts.wording import assigned, constants, literal
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.syntax import glanced_at

MODEL_MODULES = ("boosting", "classic", "texts")
HOMES = {
    "settings": "load",
    "periods": "features",
    "key_parts": "features",
    "rows": "features",
    "further": "features",
    "part": "views",
    "views": "views",
    "series": "views",
    "recent": "views",
}
"""Block of a module's functions; those of the others belong to `validate`."""
GENERATED = ("FITTED", "FORMS", "WEIGHTS", "TUNERS", "START")
"""Names that the statements below bind anew."""


def write_script(problem: Problem, recipe: Recipe) -> str:
    """The recipe as a Python script that follows the protocol of candidates."""
    code = {
        "load": wording.loading(problem),
        "features": _features(recipe),
        "views": _fitted(recipe),
        **_models(recipe),
        "validate": _validation(problem, recipe),
        "predict": wording.prediction(problem, recipe),
    }
    values = constants(problem, recipe)
    pieces = _pieces(code.values())
    homes = _homes(pieces, recipe)
    imports = library().import_lines(_outside(pieces, code.values()))
    parts = [wording.docstring(problem, recipe)]
    for name, text in code.items():
        held = [piece for piece in pieces if homes[piece.name] == name]
        parts.append(f"# == {name} ==\n" + _block(name, held, text, values, imports))
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


def _block(
    name: str, held: list[Piece], text: str, values: dict[str, object], imports: list[str]
) -> str:
    """Imports, constants, functions, then the statements."""
    top = [assigned(piece, values) for piece in held if piece.module == "settings"]
    short = [piece.text for piece in held if piece.module != "settings" and _is_constant(piece)]
    long = [piece.text for piece in held if piece.module != "settings" and not _is_constant(piece)]
    head = [wording.threads(), "\n".join(imports)] if name == "load" else []
    sections = ["\n\n".join(head), "\n".join([*top, *short]), "\n\n\n".join(long), text]
    joined = "\n\n\n" if long else "\n\n"
    return joined.join(section.strip("\n") for section in sections if section.strip())


def _is_constant(piece: Piece) -> bool:
    return not re.match(r"(@|def |class )", piece.text)


def _names(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in _mentioned(text)}


@lru_cache(maxsize=256)
def _mentioned(text: str) -> frozenset[str]:
    """Scripts of one search share most of their statements."""
    return frozenset(node.id for node in ast.walk(glanced_at(text)) if isinstance(node, ast.Name))


def _pieces(texts: Iterable[str]) -> list[Piece]:
    """Functions that the statements need, and all that those need."""
    return library().needed(_names(texts), known=GENERATED)


def _outside(pieces: list[Piece], texts: Iterable[str]) -> set[str]:
    return {name for piece in pieces for name in piece.uses} | _names(texts)


def _homes(pieces: list[Piece], recipe: Recipe) -> dict[str, str]:
    """Which block a function stands in. Models that share one find it before them."""
    fits = dict.fromkeys(CARDS[member.card].fit for member in recipe.members)
    users: dict[str, set[str]] = {}
    for fit in fits:
        for piece in library().needed([fit]):
            users.setdefault(piece.name, set()).add(fit)
    homes = {}
    for piece in pieces:
        homes[piece.name] = HOMES.get(piece.module, "validate")
        if piece.module in MODEL_MODULES:
            mine = users.get(piece.name, set())
            homes[piece.name] = _block_name(next(iter(mine))) if len(mine) == 1 else "views"
    return homes


def _block_name(fit: str) -> str:
    return "model:" + fit.removeprefix("fit_")


def _features(recipe: Recipe) -> str:
    rows = [STEPS[name] for name in steps_of(recipe) if not STEPS[name].fitted]
    lines = "".join(f"        {literal(step.name)}: {step.code},\n" for step in rows)
    return wording.FACTS.format(lines=lines)


def _fitted(recipe: Recipe) -> str:
    fitted = [STEPS[name] for name in steps_of(recipe) if STEPS[name].fitted]
    inner = ", ".join(f"{literal(step.name)}: {step.code}" for step in fitted)
    return wording.wrapped(f"FITTED = {{{inner}}}")


def _option_names(recipe: Recipe) -> list[str]:
    """A constant for the options of each member: LIGHTGBM, LIGHTGBM_2, …"""
    seen: dict[str, int] = {}
    names = []
    for member in recipe.members:
        seen[member.card] = seen.get(member.card, 0) + 1
        number = seen[member.card]
        names.append(member.card.upper() + (f"_{number}" if number > 1 else ""))
    return names


def _models(recipe: Recipe) -> dict[str, str]:
    """Each model's options, in the block that holds its code."""
    texts: dict[str, list[str]] = {}
    for member, name in zip(recipe.members, _option_names(recipe), strict=True):
        block = _block_name(CARDS[member.card].fit)
        options = literal(dict(member.parameters))
        # The mention makes the writer look for the function, also if nothing else needs it.
        texts.setdefault(block, []).append(wording.wrapped(f"{name} = {options}"))
    return {block: "\n".join(lines) for block, lines in texts.items()}


def _member(member: Member, options: str, steps: str) -> str:
    extra = ""
    if member.weight != 1.0:
        extra += f", weight={member.weight:g}"
    if member.seeds != 1:
        extra += f", seeds={member.seeds}"
    if member.form != "plain":
        extra += f", form={literal(member.form)}"
    if member.weigh:
        extra += f", weigh={literal(tuple(member.weigh))}"
    fit = CARDS[member.card].fit
    return f"    Member({literal(options.lower())}, {fit}, {options}, {steps}{extra}),\n"


def _tuner(member: Member, options: str) -> str:
    """All its time: the script shares it among the searches it makes."""
    ends = SCALED.get(member.card, {})
    search = {name: pair for name, pair in ends.items() if name in member.parameters}
    partly = f"partial(tuned, search={literal(search)}, seconds={member.tune_seconds:g})"
    return f"{literal(options.lower())}: {partly}"


def _validation(problem: Problem, recipe: Recipe) -> str:
    different = list(dict.fromkeys(member.steps for member in recipe.members))
    names = {
        steps: "SEEN" + (f"_{number}" if number else "") for number, steps in enumerate(different)
    }
    seen = [wording.wrapped(f"{name} = {literal(steps)}") for steps, name in names.items()]
    members = "".join(
        _member(member, options, names[member.steps])
        for member, options in zip(recipe.members, _option_names(recipe), strict=True)
    )
    forms = {m.form: wording.FORMS[m.form] for m in recipe.members if m.form != "plain"}
    reasons = {why: wording.WEIGHTS[why] for m in recipe.members for why in m.weigh}
    named = list(zip(recipe.members, _option_names(recipe), strict=True))
    tuners = ", ".join(_tuner(member, name) for member, name in named if member.tune_seconds)
    registers = [
        wording.wrapped(f"TUNERS = {{{tuners}}}"),
        f"FORMS = {{{', '.join(f'{literal(k)}: {v}' for k, v in forms.items())}}}",
        f"WEIGHTS = {{{', '.join(f'{literal(k)}: {v}' for k, v in reasons.items())}}}",
    ]
    lines = [*registers, *seen, f"MEMBERS = [\n{members}]", wording.gathering(problem)]
    return "\n".join(lines)

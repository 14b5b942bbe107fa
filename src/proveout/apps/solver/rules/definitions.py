"""Rules that define: words of a rating scale, what counts as workload, whose projects are mine."""

import re

from proveout.apps.solver.rules.blocks import Page, Span
from proveout.apps.solver.rules.building import Ground, make, source_of
from proveout.apps.solver.rules.ir import Rule
from proveout.apps.solver.rules.precedence import is_stale
from proveout.apps.solver.rules.statements import Statement, countable, is_aside
from proveout.apps.solver.rules.text import NUMBER_WORDS, plain, squeeze
from proveout.apps.solver.words import PHASES, DealPhase

_TERM = r"[\"' ]*([a-z][a-z -]{1,24}?)[\"' ]*"
_LEVEL = r"(?:an? )?(?:levels? |ratings? |grades? |scores? )?(?:between |from |of )?"
_IS = r"(?:(?:is|are|means|counts? as|(?:is|are) called) )?"
_DIGITS = {word: str(number) for number, word in enumerate(NUMBER_WORDS, 1)}
_BAND = re.compile(
    rf"^\W*{_LEVEL}(\d{{1,2}}) ?(?:-|to|through|and) ?(\d{{1,2}})\W+{_IS}{_TERM}(?:$| - |[:,.;(|/])"
)
_BAND_AFTER = re.compile(
    rf"^\W*{_TERM} *(?:[:(|-]|is|means|covers|are|=)[ |]*{_LEVEL}(\d{{1,2}}) ?(?:-|to|through"
    rf"|and) ?(\d{{1,2}})\b"
)
_SINGLE = re.compile(rf"^\W*{_LEVEL}(\d{{1,2}})\W+{_TERM}(?:$| - |[:,.;(|/])")
_FLOOR = re.compile(
    r"\b(?:at least|from|no lower than|not below|minimum of|starts? (?:at|with|from)|begins? (?:at"
    r"|with)|>=|≥|reach(?:es|ed)?)"
    r" ?(?:an? )?(?:levels? |ratings? |grades? |of )*(\d{1,2})\b(?! ?(?:-|to) ?\d)"
    r"|\b(\d{1,2})(?: or (?:more|higher|above|better|up|over)| and (?:above|up|higher|more|over"
    r"|better)|\+| upwards?)"
)
_SCALE_CONTEXT = re.compile(
    r"\b(?:scale|ratings?|levels?|skills?|wills?|grad(?:e|ing)|proficiency|strong)\b"
)
_NOT_TERMS = frozenset(
    {"scale", "level", "levels", "rating", "the", "to", "and", "maximum", "minimum"}
)

_LOAD = re.compile(
    r"\b(?:work ?loads?|utili[sz]ation|capacity|busy|busiest|busyness|planned work|fte)\b"
)
_PHASE = re.compile(r"\b(ideas?|exploring|exploration|active|paused|archived)\b")
_NAMES = {"ideas": "idea", "exploration": "exploring"}
_WHATEVER = re.compile(
    r"\b(?:(?:regardless|irrespective|independent(?:ly)?) of|whatever|no matter|in any|of any"
    r"|of every|in every"
    r"|all|every)\b[^.;]{0,30}\b(?:status|phase|stage|state)s?\b|\ball (?:of )?(?:their |the "
    r"|a person'?s )?projects\b"
    r"(?! (?:that|which|where|in|whose))"
)
_LEFT_OUT = re.compile(
    r"\b(?:exclud(?:e|es|ed|ing)|except(?:ing)?(?: for)?|not count(?:ed)?|ignor(?:e|es|ed|ing)"
    r"|leav(?:e|es|ing) out|left out"
    r"|without|do not count|does not count|are not counted|is not counted|don't count|other than"
    r"|apart from"
    r"|but not|(?<=projects )but(?! (?:also|only))"
    r"|no longer counts?|never counts?|are ignored|is ignored|not include[ds]?|skip(?:s"
    r"|ped)?|disregard(?:ed)?)\b"
)
_COUNTED = re.compile(
    r"\b(?:count(?:s|ed|ing)?|sum(?:s|med)?|add(?:s|ed)?|includ\w*|consider\w*|total\w*|across"
    r"|over|determined|computed|calculated|take[ns]?|relevant|toward|look(?:s|ing)?|based)\b"
)
_SOMETIMES = re.compile(r"\(?(?:and|or)? ?(?:sometimes|occasionally|in some cases) (\w+)\)?")
_ALL_ALIKE = re.compile(
    r"\b(?:status|phase|stage)\b[^.;]*\b(?:makes no difference|does not matter|plays no role"
    r"|is irrelevant)\b"
    r"|\b(?:regardless|irrespective) of (?:their |its |the )?(?:status|phase|stage)"
    r"|\bwhatever (?:their|its|the) (?:status|phase|stage)"
)
_MERE = re.compile(r"\bphases such as[^.]*\.")

_MINE = re.compile(
    r"\b(?:my|your|own|someone's|a person's|one's|their|'s) (?:own )?projects?\b"
    r"|\bprojects? of (?:mine|theirs|yours)\b"
)
_MEANS = re.compile(
    r"\b(?:means?|stands? for|refers? to|are (?:those|the|all|projects|understood)|is understood"
    r"|understood"
    r"|covers?|read as|counts? (?:as|among)|understand|meant|includes?|interpreted|says|asks|taken"
    r"|denotes?|is (?:short|meant)|speak\w*|talk\w*)\b"
)
_LED = re.compile(
    r"\b(?:leads?|led|leading|heads?|headed|in the lead|project manager of|manages?|run by|runs)\b"
)
_TAKES_PART = re.compile(
    r"\b(?:members?|takes? part|part of|assigned|works? on|working on|involved|belongs? to"
    r"|participat\w+|any role"
    r"|whatever (?:the|their|your) role|on the team|in the team|staffed|team lists?)\b"
)
_EITHER_WAY = re.compile(
    r"\b(?:led|lead|leading) or not\b|\bwhether or not \w+ leads?(?: \w+)?|\bin whatever role\b"
)
_NOT_JUST = re.compile(
    r"\b(?:not|rather than|instead of|beyond|even if|whether or not|as opposed to)\b[^.,;]*"
)


def match_scale(statement: Statement, ground: Ground) -> tuple[Rule, ...]:
    """`7-8: Strong`, `strong means 7 or higher`."""
    context = " ".join((*statement.headings, statement.text, statement.lead))
    if not _SCALE_CONTEXT.search(plain(context)):
        return ()
    folded = _digits(squeeze(statement.text)).replace("|", " ").strip(" |")
    found = _band(folded) or _floor(folded)
    if found is None:
        return ()
    term, low, high = found
    source = source_of(statement.page, statement.anchor, statement.span)
    return (
        make(
            "scale",
            term.replace(" ", "_"),
            source,
            ground,
            {"term": term, "low": low, "high": high},
        ),
    )


def _digits(text: str) -> str:
    return re.sub(
        r"\b(" + "|".join(_DIGITS) + r")\b(?= or | and above| to )",
        lambda w: _DIGITS[w[1]],
        text,
    )


def _band(text: str) -> tuple[str, int, int] | None:
    if band := _BAND.match(text):
        return _checked(band[3], int(band[1]), int(band[2]))
    if band := _BAND_AFTER.match(text):
        return _checked(band[1], int(band[2]), int(band[3]))
    if single := _SINGLE.match(text):
        return _checked(single[2], int(single[1]), int(single[1]))
    return None


def _floor(text: str) -> tuple[str, int, int] | None:
    grades = _GRADES.findall(text)
    numbers = _FLOOR.findall(text)
    if len(set(grades)) == 1 and len(numbers) == 1:
        return _checked(grades[0], int(next(one for one in numbers[0] if one)), 10)
    return None


_GRADES = re.compile(
    r"\b(?:strong|expert|proficient|advanced|solid|basic|skilled|good|excellent|exceptional"
    r"|competent|experienced"
    r"|senior|weak|novice|beginner|eager|interested|keen|high|low|capable|fluent|outstanding"
    r"|master|specialist)\b"
)


def _checked(term: str, low: int, high: int) -> tuple[str, int, int] | None:
    term = term.strip(" -'\"")
    if not 0 <= low <= high <= 100 or not term or term in _NOT_TERMS or len(term.split()) > 3:
        return None
    return term, low, high


def match_scale_rows(page: Page, ground: Ground) -> tuple[Rule, ...]:
    """Bands of a rating scale in a table."""
    if is_stale(page) or is_aside(page):
        return ()
    result = []
    for index, block in enumerate(page.blocks):
        if block.kind != "row" or index == block.header or not countable(page, block):
            continue
        context = " ".join((*block.headings, page.of(page.blocks[block.header])))
        if not _SCALE_CONTEXT.search(plain(context)):
            continue
        cells = [squeeze(page.cell(cell)) for cell in block.cells]
        levels = [re.fullmatch(r"(\d{1,2})(?: ?(?:-|to) ?(\d{1,2}))?", cell) for cell in cells]
        band = next((one for one in levels if one), None)
        words = [cell for cell, level in zip(cells, levels, strict=True) if not level]
        if band is None or not words:
            continue
        checked = _checked(words[0], int(band[1]), int(band[2] or band[1]))
        if checked is None:
            continue
        source = source_of(page, block.anchor, Span(block.start, block.end))
        values = {"term": checked[0], "low": checked[1], "high": checked[2]}
        result.append(make("scale", checked[0].replace(" ", "_"), source, ground, values))
    return tuple(result)


def match_workload(statement: Statement, ground: Ground) -> tuple[Rule, ...]:
    """Which phases count for workload."""
    about = " ".join((*statement.headings[-2:], statement.text, statement.lead))
    folded = _MERE.sub(" ", squeeze(statement.text))
    if not _LOAD.search(squeeze(about)) or not _COUNTED.search(folded):
        return ()
    if _ALL_ALIKE.search(folded):
        return (_workload(PHASES, statement, ground),)
    maybe = {_NAMES.get(one[1], one[1]) for one in _SOMETIMES.finditer(folded)}
    folded = _SOMETIMES.sub(" ", folded)
    clauses = [_phases(clause) for clause in re.split(r"; ", folded)]
    stated: tuple[DealPhase, ...] = next((phases for phases in clauses if phases), ())
    variants = [stated]
    if variants[0] and maybe & set(PHASES):
        variants.append(tuple(p for p in PHASES if p in variants[0] or p in maybe))
    return tuple(_workload(phases, statement, ground) for phases in variants if phases)


def _workload(phases: tuple[DealPhase, ...], statement: Statement, ground: Ground) -> Rule:
    source = source_of(statement.page, statement.anchor, statement.span)
    values = {"measure": "workload", "statuses": phases}
    return make("derive", "workload", source, ground, values)


def _phases(text: str) -> tuple[DealPhase, ...]:
    """The phases that a sentence counts: named, or all but those it leaves out."""
    out = _LEFT_OUT.search(text)
    named = [(_NAMES.get(one[1], one[1]), one.start()) for one in _PHASE.finditer(text)]
    if out is None:
        if named:
            return tuple(phase for phase in PHASES if phase in {name for name, _ in named})
        return PHASES if _WHATEVER.search(text) else ()
    after = {name for name, at in named if at > out.start()}
    before = {name for name, at in named if at < out.start()}
    if before and not after:
        # "Archived projects are ignored": what is named stands before the verb.
        passive = re.match(r"(?:are|is|do|does|never|not)", out[0])
        if passive:
            return tuple(phase for phase in PHASES if phase not in before)
    if before:
        return tuple(phase for phase in PHASES if phase in before)
    return tuple(phase for phase in PHASES if phase not in after) if after else ()


def match_meaning(statement: Statement, ground: Ground) -> tuple[Rule, ...]:
    """What "my projects" means."""
    folded = squeeze(statement.text)
    if not _MINE.search(folded) or not _MEANS.search(folded):
        return ()
    quoted = re.search(r"[\"'](?:my|your|our) projects?[\"']|\bmy projects?\b", folded)
    if not quoted and not re.search(r"\bprojects? (?:means?|are those|refers?)\b", folded):
        return ()
    rest = _NOT_JUST.sub(" ", _EITHER_WAY.sub(" ", folded))
    led, member = bool(_LED.search(rest)), bool(_TAKES_PART.search(rest))
    if led == member:
        return ()
    values = {"phrase": "my projects", "means": "led" if led else "member"}
    return (
        make(
            "meaning",
            "my_projects",
            source_of(statement.page, statement.anchor, statement.span),
            ground,
            values,
        ),
    )

"""Which guarded matter a request is about, in whatever words.

This is for refusing only: it names what must be allowed, and never what to answer. So it may be
generous with words, dialects and disguises: whoever has the right loses nothing by it.
"""

import base64
import binascii
import codecs
import re
from collections.abc import Callable, Iterator

from proveout.apps.solver.experts.draft import Draft
from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.resolve.folding import fold, word_set
from proveout.apps.solver.words import Operation

LONGEST = 60_000
"""Characters that are looked at."""
_PAY = re.compile(
    r"\b(?:salar\w*|wages?|pay ?rolls?|pay ?che(?:ck|que)s?|pay ?slips?|pay rises?|earners?"
    r"|out ?earns?|earnings?|incomes?|remunerat\w*|take[ -]home"
    r"|pay (?:scales?|grades?|bands?|levels?|gaps?)"
    r"|(?:best|worst|well|highest|lowest|better|top|most|least)[ -]paid|compensation"
    r"|(?:under|over)paid|gehalt\w*|gehaelt\w*|\w*verdien\w*|bezuge|bezuege|lohn"
    r"|lohne|loehne|entgelt\w*|vergutung\w*|verguetung\w*|einkommen|stipendi\w*|retribuzion\w*"
    r"|guadagn\w+|busta paga|reddito|salair\w*|remuner\w*|fiche de paie|revenus?|sueldos?|nominas?"
    r"|ingresos|plata|platu|platom|zarad\w*|primanja|zarplat\w*|oklad\w*"
    r"|zarabatyva\w*|zarabot\w*|dohod\w*)\b|工资|薪|收入|挣|赚"
)
"""Words that mean what somebody earns, folded."""
_PERHAPS_PAY = re.compile(
    r"\b(?:paid|pays?|paying|earn\w*|making|makes? (?:more|less)|compensation|money|cash|bucks"
    r"|costs?|kostet|kosten|costa|coute|cuesta|kosta|stoit"
    r"|bezahlt|bekomm\w*|kriegt|prend\w*|gana|ganan|cobran?|gagn\w*|touche|percep\w*|dobija|prima"
    r"|poluchaet|poluchayut|platiat|platim|a year|per year|annually|im jahr|all anno|par an"
    r"|al ano|godisnje|v god)\b|钱|拿多少"
)
"""Words that may mean it, where nothing else could be meant."""
_NOTED = re.compile(
    r"\b(?:noted|remarks?|on file|personnel file|written about|personalakte|vermerkt|annotat\w*"
    r"|fascicolo|dossier|expediente|dosije|lichnoe delo)\b|档案"
)
_MONEY = re.compile(
    r"(?<![\w.,/-])(?:\d{2,3}[.,' ]\d{3}|\d{5,6})(?![\w/-])|(?<![\w.,/-])\d{2,3} ?k\b|\bsix figure"
)
_MORE = re.compile(r"\b\d[\d.,]* ?(?:%|percent|per cent|prozent|more|extra|mehr|on top)|\b\d+ ?%")
_ENTERS = word_set("UPDATE ADD REPLACE RAISE REDUCE APPLY CREATE LOG SHALL APPROVAL")
_ENCODED = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16,}={0,2}(?![A-Za-z0-9+/=])")
_HEX = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}[ :]?){8,}(?![0-9a-fA-F])")
_SPACED = re.compile(r"(?:\b\w[ ._-]){4,}\w\b")
_LEET = str.maketrans("013457@$", "oieastas")
_SELF_TOLD = word_set("MY SELF ME")


def asks_pay(reading: Reading) -> Operation | None:
    """What an unclear request wants with the pay of somebody else, if it can mean that."""
    if not _of_others(reading):
        return None
    said = visible(reading)
    # An approval may be quoted; what it approves is asked for all the same.
    told = reading.text if reading.has("APPROVAL", "APPLY") else said
    sum_of_money = bool(_MONEY.search(told) or _MORE.search(said))
    plain = reading.has("SALARY") or bool(_PAY.search(said))
    # Money and a person, or a raise and a figure, and nothing else that has levels or hours.
    implied = sum_of_money and not reading.has("LEVEL", "HOURS", "SKILL", "WILL")
    asked = reading.has("HOW_MANY", "WHICH", "MORE", "HIGHER", "MOST", "LIST") or "?" in said
    hinted = asked and bool(_PERHAPS_PAY.search(said))
    if not (plain or implied or hinted or any(map(_PAY.search, disguises(reading.text)))):
        return None
    return "employee.salary.write" if _changes(reading, said) else "employee.salary"


def overlooked_pay(reading: Reading, draft: Draft) -> Operation | None:
    """Pay of somebody else that a request speaks of and its plan leaves aside.

    What is to be written down somewhere is no question, whatever it speaks of; nor is a question
    about how such things are done.
    """
    if _reads_pay(draft) or not _of_others(reading) or reading.has("HOW", "READ_ABOUT", "HOW_WORD"):
        return None
    said = visible(reading, _content_start(reading) if draft.writes else LONGEST)
    if _PAY.search(said):
        return "employee.salary.write" if _changes(reading, said) else "employee.salary"
    raised = reading.has("RAISE", "REDUCE") and bool(_MONEY.search(said))
    if raised and not draft.writes and not reading.of("skill", "will", "project"):
        return "employee.salary.write"
    return None


def asks_record(reading: Reading) -> Operation | None:
    """What an unclear request wants with the notes or abilities of somebody, or with a page."""
    if reading.of("page"):
        looks = reading.has("WHO", "WHICH", "WHERE", "HOW", "READ_ABOUT", "LIST", "HOW_MANY")
        return None if looks and not reading.of("quote") else "wiki.write"
    if not any(not reading.is_requester(it) for it in reading.people()):
        return None
    if reading.of("project", "customer") or reading.has("HOURS", "ENTRY"):
        return None
    if reading.of("quote") and reading.has("NOTE", "LOG", "PROFILE", "ADD", "REPLACE", "CREATE"):
        return "employee.note.write"
    if reading.has("SKILL", "WILL") and reading.has("RAISE", "REDUCE", "UPDATE", "ADD"):
        return "employee.skills.write"
    noted = reading.has("NOTE") or bool(_NOTED.search(visible(reading)))
    if not noted:
        return None
    return "employee.note.write" if reading.concepts & (_ENTERS - {"LOG"}) else "employee.notes"


def visible(reading: Reading, end: int = LONGEST) -> str:
    """The request up to some place, folded, without names, quotes and whatever only pretends."""
    text = reading.text[: min(end, LONGEST)]
    names = [(it.start, it.end) for it in reading.mentions if it.kind not in {"number", "date"}]
    parts, place = [], 0
    for first, last in sorted((*names, *reading.hidden)):
        parts.append(text[place:first])
        place = max(place, last)
    return fold(" ".join((*parts, text[place:])))


def disguises(text: str) -> Iterator[str]:
    """What the text may say in another spelling: encoded, reversed, spaced out, with digits."""
    text = text[:LONGEST]
    yield fold(codecs.encode(text, "rot13"))
    yield fold(text[::-1])
    yield fold(text.translate(_LEET))
    for found in _SPACED.finditer(text):
        yield fold(re.sub(r"[ ._-]", "", found[0]))
    for found in _ENCODED.finditer(text):
        yield fold(_decoded(_from_base64, found[0]))
    for found in _HEX.finditer(text):
        yield fold(_decoded(bytes.fromhex, found[0].replace(":", "")))


def _from_base64(coded: str) -> bytes:
    bare = coded.rstrip("=")
    return base64.b64decode(bare + "=" * (-len(bare) % 4))


def _decoded(decode: Callable[[str], bytes], coded: str) -> str:
    """The words that something encoded stands for; none if it stands for none."""
    try:
        return decode(coded).decode()
    except (binascii.Error, ValueError):
        return ""


def _of_others(reading: Reading) -> bool:
    """Whether anybody but the requester can be meant."""
    people = [it for it in reading.people() if not reading.is_requester(it)]
    if people or reading.of("department") or reading.has("ALL", "EVERYBODY", "EMPLOYEE", "TEAM"):
        return True
    return not reading.concepts & _SELF_TOLD


def _changes(reading: Reading, said: str) -> bool:
    figure = _MONEY.search(said) or _MORE.search(said)
    asked = reading.has("HOW_MANY", "MORE", "LESS", "MOST", "LEAST", "WHO", "AVERAGE", "YES_NO")
    # `What does she get?` asks; `she gets 80k` orders.
    ordered = reading.concepts & (_ENTERS - {"SHALL", "ADD"} if "?" in said else _ENTERS)
    return bool(ordered) and (bool(figure) or not asked)


def _reads_pay(draft: Draft) -> bool:
    return (
        any("employee_salaries" in it.statement for it in draft.sql)
        or any(it.name in {"load_salaries", "find_approvals"} for it in draft.calls)
        or any(it.intent == "employee.salary.write" for it in draft.writes)
        or draft.operation.startswith("employee.salary")
    )


def _content_start(reading: Reading) -> int:
    """Where words begin that are to be written down."""
    signs = [*reading.where("NOTE"), *reading.where("CONTENT")]
    colon = reading.text.find(":")
    return min([*signs, *([colon] if colon >= 0 else [])], default=len(reading.text))

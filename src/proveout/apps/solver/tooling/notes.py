"""Reading free notes on people: a telephone number, an approval of a salary.

Notes are data. A number counts as a telephone number, and a sentence as an approval, only if the
words say so; what is merely near them is left alone, because a raise may hang on it.
"""

import re
from dataclasses import dataclass

from proveout.apps.solver.resolve.folding import fold, words
from proveout.apps.solver.resolve.quantities import numbers

_NUMBER = re.compile(r"(?<![\w+])(?:\+|00)?\(?\d(?:[\d\s().\-–/]|\(0\)){3,24}\d(?![\w%])")
_PHONE = re.compile(
    r"\b(?:tele)?phone|\btel\b|\bmob(?:ile|il|ilni)?\b|\bmobil(?:e|telefon|nummer)?\b|\bcell\b"
    r"|\bcellulare\b|\bcellular\b|\bmovil\b|\bportable\b|\bhandy\b|telefon|\btelefono\b|\bcontact "
    r"number\b|\bcall (?:me|him|her|them)\b|\breach(?:able|ed)?\b|\bdirect line\b|\bdurchwahl\b"
    r"|\bwhatsapp\b|\brufnummer\b|\brecapito\b|电话|手机|電話"
)
_NOT_THEIRS = re.compile(
    r"\bfax\b|\bemergency\b|\bnotfall|\bnext of kin\b|\bemergenza\b|\burgence\b|\bemergencia\b"
    r"|\bhotline\b|\bsupplier\b|\bcustomer\b|\bspouse\b|\bwife\b|\bhusband\b|传真"
)
_OTHER_NUMBER = re.compile(
    r"\b(?:iban|invoice|ticket|badge|order|contract|id|nr|no|ref|reference|account)\W{0,3}$"
)
_DATE = re.compile(r"\b\d{4}[-./]\d{1,2}[-./]\d{1,2}\b|\b\d{1,2}[-./]\d{1,2}[-./]\d{2,4}\b")
_MONEY = re.compile(r"(?:[€$£¥]|\beur(?:o|os)?\b|\busd\b|\bchf\b|\brsd\b|\bgbp\b)", re.IGNORECASE)

_CEO = re.compile(
    r"(?<!deputy )(?<!vice )(?<!former )(?<!ex-)\bceo\b(?!(?:'s)? (?:assistant|office|secretary))"
    r"|\bchief executive|\bmanaging director\b|\bgeschaftsfuhr|\bvorstandsvorsitz"
    r"|\bamministrat(?:ore|rice) delegat|\bpdg\b|\bdirect(?:eur|rice) general"
    r"|\bdirector(?:a)? general|\bconsejer[oa] delegad|\bgeneraln\w+ direktor"
    r"|首席执行官|总裁|总经理"
)
_APPROVED = re.compile(
    r"\bapproved\b|\bapproves\b|\bsigned off\b|\bauthori[sz]e[ds]\b|\bgenehmigte?\b"
    r"|\bfreigegeben\b|\bbewilligt|\bapprovat[oaie]\b|\bautorizzat|\bapprouve(?:e|es|s)?\b"
    r"|\bautorise|\baprobad[oa]s?\b|\baprobo\b|\bautorizad[oa]|\bautorizo\b"
    r"|\bodobri(?:o|la|l)\b|\bodobren[oaei]?\b|\butverzhden|\butverdil|批准|核准"
)
"""It happened."""
_APPROVAL = re.compile(
    r"\bapproval\b|\bsign-off\b|\bauthori[sz]ation\b|\bgenehmigung\b|\bfreigabe\b"
    r"|\bapprovazione\b|\bapprobation\b|\baprobacion\b|\bodobrenje\b|\butverzhdenie\b"
)
"""It is spoken of; that it happened must not be in doubt."""
_PAY = re.compile(
    r"\bsalar|\bpay\b|\bcompensation\b|\bwages?\b|\bremuneration|\bremunerazione|\braise\b|\brise\b"
    r"|\bincrease|\badjust|\bgehalt|\blohn|\bvergutung|\berhohung|\bstipendi|\bretribu|\baument"
    r"|\bsueldo|\baugment|\bplat[aeu]\b|\bplate\b|\bzarad|\bpovec|\bpovis|\bzarplat|\boklad|\bpovysh"
    r"|工资|薪|加薪"
)
_OPEN = re.compile(
    r"\bnot\b|\bno approval\b|\bnever\b|n't\b|\bwithout\b|\bpending\b|\bawait|\bwaiting\b"
    r"|\bif\b|\bunless\b|\bonce\b|\bsubject to\b|\bto be approved\b|\bhas yet to\b|\bmight\b"
    r"|\bmay be\b|\bshould be\b|\bwould\b|\bcould\b|\breject|\bdeclin|\bdenied\b|\brefus"
    r"|\bclaim|\brumou?r|\bhopes?\b|\bwants?\b|\basked\b|\brequested\b|\bnicht\b|\bkein"
    r"|\bausstehend|\bbeantragt|\babgelehnt|\bfalls\b|\bnon\b|\bin attesa\b|\brifiut|\bpas\b"
    r"|\ben attente\b|\bpendiente|\brechaz|\bnije\b|\bceka\b|\bodbij|\bne\b|\bozhida|\botkaz"
    r"|未|待|尚|拒绝"
)
_WEAK = re.compile(
    r"\brequest|\bpropos|\bneed|\brequire|\bdiscuss|\bplan|\bdraft|\bpossible|\bmissing\b"
    r"|\boutstanding\b|\bseek|\bexpect|\bnach\b|\brichiest|\bdemand|\bsolicit|\btrazi|申请"
)
"""Puts an approval in doubt that is only spoken of."""
_REVOKED = re.compile(
    r"\brevoked\b|\bwithdrawn\b|\bwithdrew\b|\bcancell?ed\b|\brescinded\b|\bsuperseded\b|\bexpired\b"
    r"|\bno longer\b|\bwiderrufen|\bzuruckgezogen|\brevocat|\bannull|\brevoque|\bannule|\bpovuc|撤"
)
_BARE_WORDS = (
    "ceo the by has been was is have given received granted approved approval signed off on from "
    "authorised authorized vom von der dem genehmigt erteilt approvato approvata dal approuve par "
    "le aprobado por el odobrio odobreno od odobrenje hr and"
)
_BARE = frozenset(_BARE_WORDS.split())
"""Words of an approval that does not say of what."""
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s+|(?<=[。！？；])|[\r\n]+")
_TARGET = re.compile(
    r"(?:\bto|\bor|\band|\boder|\bou|\bili|\bof|\bat|\bis|\bauf|\bvon|\ba|\bad|\bal|\bna|\bde|[:=至到为])\W*$"
)
_SOURCE = re.compile(
    r"(?:\bfrom|\bvon derzeit|\bby|\bum|\bda|\bdi|\bsa|\bs|\bcurrently|\bextra)\W*$"
)
_THOUSANDS = re.compile(r"(?<![\w.,])(\d{2,4})\s?k\b", re.IGNORECASE)
_SCRIPTS = re.compile(r"(?<=[\u3000-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u3000-\u9fff])")
"""Between Chinese and Latin, which are written without a space and are words apart all the same."""
APPROVER = "CEO"
LEAD = 48
"""What introduces a number stands within so many characters before it."""
LEAST_PAY, MOST_PAY = 1_000, 100_000_000


@dataclass(frozen=True)
class Approval:
    approver: str
    amount: int


def phones(text: str) -> tuple[str, ...]:
    """Telephone numbers of the person that the notes are about, as they are written."""
    found: dict[str, None] = {}
    for line in re.split(r"[\r\n;]+", text):
        for match in _NUMBER.finditer(line):
            number = match.group().strip(" .-/–")
            before = line[max(0, match.start() - LEAD) : match.start()]
            if _is_phone(number, before, line[match.end() : match.end() + LEAD]):
                found.setdefault(number)
    return tuple(found)


def _is_phone(number: str, before: str, after: str) -> bool:
    digits = sum(letter.isdigit() for letter in number)
    if _DATE.fullmatch(number) or digits > 15 or not re.search(r"\d\d", number):
        return False
    if _MONEY.search(before[-6:]) or _MONEY.match(after.lstrip()):
        return False
    lead = fold(before)
    named = _last(_PHONE, lead)
    if _last(_NOT_THEIRS, lead) > named:
        return False
    if _OTHER_NUMBER.search(lead) and named < 0:
        return False
    international = number.startswith(("+", "00")) and digits >= 8
    return international or (named >= 0 and digits >= 5)


def _last(pattern: re.Pattern[str], text: str) -> int:
    """Where the pattern occurs for the last time; -1 if nowhere."""
    return max((match.start() for match in pattern.finditer(text)), default=-1)


def approvals(text: str) -> tuple[Approval, ...]:
    """Salaries that the notes say the CEO approved: nothing pending, asked for or revoked."""
    parts = _SENTENCE.split(_SCRIPTS.sub(" ", text))
    sentences = [part.strip() for part in parts if part and part.strip()]
    found: dict[Approval, None] = {}
    for place, sentence in enumerate(sentences):
        plain = fold(sentence)
        if not _CEO.search(plain) or not _is_given(plain):
            continue
        if any(_REVOKED.search(fold(later)) for later in sentences[place:]):
            continue
        following = sentences[place + 1] if place + 1 < len(sentences) else ""
        if (amount := _amount(sentence, following)) is not None:
            found.setdefault(Approval(APPROVER, amount))
    return tuple(found)


def _is_given(plain: str) -> bool:
    if _OPEN.search(plain):
        return False
    if _APPROVED.search(plain):
        return True
    return bool(_APPROVAL.search(plain)) and not _WEAK.search(plain)


def _amount(sentence: str, following: str) -> int | None:
    """The one salary named where the approval is, or else in the sentence after it."""
    pay_here, pay_next = (bool(_PAY.search(fold(part))) for part in (sentence, following))
    if here := _amounts(sentence):
        return here[0] if len(here) == 1 and (pay_here or pay_next) else None
    # Something else may have been approved: then the salary after it is another matter.
    about_this = pay_here or not set(words(sentence)) - _BARE
    if not about_this or not pay_next or _OPEN.search(fold(following)):
        return None
    after = _amounts(following)
    return after[0] if len(after) == 1 else None


def _amounts(sentence: str) -> list[int]:
    """Amounts that can be a salary; of several, those that the words call the new one."""
    plain = _DATE.sub(lambda match: " " * len(match.group()), sentence)
    plain = _THOUSANDS.sub(lambda match: match[1] + "000", plain)
    plain = re.sub(r"([€$£¥])(?=\d)", r"\1 ", plain)
    held: list[tuple[int, bool]] = []
    for number in numbers(plain):
        before = fold(plain[max(0, number.start - LEAD) : number.start])
        money = _MONEY.search(plain[max(0, number.start - 5) : number.start])
        money = money or _MONEY.match(plain[number.end :].lstrip())
        bare = (
            before[: -len(found.group())]
            if money and (found := _LEAD_MONEY.search(before))
            else before
        )
        if number.percent or number.signed or number.value != int(number.value):
            continue
        value = int(number.value)
        if not LEAST_PAY <= value <= MOST_PAY or _SOURCE.search(bare):
            continue
        grouped = not plain[number.start : number.end].isdigit()
        if 1900 <= value <= 2100 and not money and not grouped:
            # A year.
            continue
        held.append((value, bool(_TARGET.search(bare))))
    targets = [value for value, target in held if target]
    chosen = targets or [value for value, _ in held]
    return list(dict.fromkeys(chosen))


_LEAD_MONEY = re.compile(r"(?:[€$£¥]|\beur(?:o|os)?|\busd|\bchf|\brsd|\bgbp)\W*$")

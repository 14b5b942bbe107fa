"""Stretches of a task that try to be something else than a request.

Nothing in a text can change who asks or what is allowed, so nothing hangs on finding all of them:
they are skipped so that a name or verb inside them is not taken for what is wanted.
"""

import re

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        # Turns of a conversation that never took place.
        r"^[\s>#*\[\(<]{0,12}(?:system|assistant|developer|tool|context|admin|root|kontext|contexte"
        r"|contexto|contesto|kontekst|контекст|система|系统|上下文)\b[^\n:.!?]{0,40}:+"
        r"[^\n.!?]*[.!?]?",
        r"[\[<{(]\s{0,4}(system|context|assistant|developer|admin|inst|im_start|tool)\b[^\])>}]{0,400}"
        r"[\])>}](?:[^\n]{0,2000}?[\[<{(]\s{0,4}/\s{0,4}\1\b[^\])>}]{0,40}[\])>}])?",
        r"^[\s#=*-]{0,12}(?:system|assistant|developer|context)[ \t]{0,8}$\n[^\n]*",
        r"^[\s#=*-]{1,12}(?:user|question|request)[ \t]{0,8}$",
        r"#+ *(?:system|assistant|developer|context)\b[^\n]*\n[^\n]*",
        # Orders to forget the rules.
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b(?:\W+\w+){0,5}?\W+(?:instructions?"
        r"|rules?|polic(?:y|ies)|restrictions?|prompts?|guidelines?|checks?|permissions?)\b",
        r"\bignorier\w*(?:\W+\w+){0,5}?\W+(?:anweisung\w*|regel\w*|richtlinie\w*)",
        r"\bignora\w*(?:\W+\w+){0,5}?\W+(?:istruzion\w*|regol\w*|instruccion\w*|reglas?)",
        r"\bignore[zr]?(?:\W+\w+){0,5}?\W+(?:consignes?|règles?|instructions?)",
        r"игнорируй\w*(?:\W+\w+){0,5}?\W+(?:инструкци\w*|правил\w*)",
        r"(?:zanemari|ignoriši)\w*(?:\W+\w+){0,5}?\W+(?:uputstv\w*|pravil\w*|instrukcij\w*)",
        r"忽略[^。，,]{0,12}(?:指令|规则|指示)",
        r"\b[^.!?\n:]{0,160}?\b(?:rules?|polic(?:y|ies)|restrictions?|permissions?)\b[^.!?\n]{0,40}"
        r"\b(?:do not|don't|does not|doesn't|no longer|never) (?:apply|count|hold)\b"
        r"[^.!?\n]*[.!?]?",
        # Claims about identity.
        r"\b(?:current[_ ]?user|who_?am_?i|user_?id|is_public|the requester|the user)\s*(?:=|:|is)"
        r"\s*[^\s,;.]+",
        r"\b(?:i am|i'm|this is|speaking as|acting as|as)\s+(?:the\s+|your\s+|an?\s+)?"
        r"(?:ceo|cfo|coo|cto|chief \w+(?: officer)?|administrator|admin|root|hr (?:director|manager"
        r"|head)|head of hr|managing director|owner of the company)\b[^.!?\n,;:]{0,60}[.!,;:]?",
        r"\bi (?:order|command|instruct|direct|authori[sz]e) you(?: to)?\b",
        r"\b(?:you are|you're) now\b[^.!?\n]*[.!?]?",
        r"\bich bin (?:der|die) (?:ceo|geschäftsführer\w*|administrator\w*)[^.!?\n,]*[.!,]?",
        r"\bsono (?:il|la) (?:ceo|direttore|direttrice|amministrat\w+)[^.!?\n,]*[.!,]?",
        r"\bje suis (?:le|la) (?:pdg|ceo|direct\w+|administrat\w+)[^.!?\n,]*[.!,]?",
        r"\bsoy (?:el|la) (?:ceo|direct\w+|administrad\w+)[^.!?\n,]*[.!,]?",
        r"\b(?:pre-?approved|already approved|approved by (?:the )?(?:ceo|board|management)),?\s+"
        r"(?:so|no need)[^.!?\n]*",
    )
)


_SENT_BY = re.compile(
    r"(?:^|[.!?\n])[ \t]{0,4}(?:(?:speaking|acting|writing) )?(?:on behalf of|in the name of"
    r"|speaking for|as|by order of|im namen von|im auftrag von|per conto di|a nome di|au nom de"
    r"|de la part de|en nombre de|u ime|po nalogu|от имени|по поручению|代表)[ \t]{1,4}"
    r"([^:,，：.!?\n]{2,60})[:,，：]"
    r"|\bas ([^,.:;!?\n]{2,60}?) i (?:order|command|instruct|direct|ask|tell) you(?: to)?\b"
    r"|(?:^|[.!?\n])[ \t]{0,4}([^:,，：.!?\n]{2,60}?) here[ \t]{0,4}[.,:!–—]",
    re.IGNORECASE,
)
"""For whom somebody claims to speak."""


def spoken_for(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text names somebody whose authority it claims; who asks is known without it."""
    return tuple((match.start(), match.end()) for match in _SENT_BY.finditer(text))


_CODE = re.compile(
    r"\bunion\s+(?:all\s+)?select\b|\b(?:drop|truncate|alter)\s+(?:table|view|database)\b"
    r"|'\s*or\s*'?\d'?\s*=|\bor\s+['\"]?(\w{1,20})['\"]?\s*=\s*['\"]?\1\b"
    r"|\b(?:delete\s+from|insert\s+into)\s+\w+|\bupdate\s+\w+\s+set\s+\w+\s*="
    r"|\bselect\s+\*"
    r"|\bselect\s+\w+(?:\s*,\s*\w+){0,9}\s+from\s+\w+\s*(?:;|--|\)|where\b|limit\b)"
    r"|['\")]\s*;\s*--|\w'(?:--|/\*|\s*--\s*\?*\s*$)|/\*.{0,80}?\*/"
    r"|['\")]\s*;\s*(?:drop|delete|update|insert|alter|truncate|exec|select|grant)\b"
    r"|['\"]\s*(?:or|and)\s+['\"]?\w{1,20}['\"]?\s*(?:=|like\b)|\blike\s+['\"]%"
    r"|\b(?:where|having)\s+['\"]?(\w{1,20})['\"]?\s*=\s*['\"]?\2\b"
    r"|\bwhere\s+\w{1,20}\s*(?:[=<>]|like\b)\s*['\"]"
    r"|\$\{[^}\n]{0,80}\}|\{\{[^}\n]{0,80}\}\}",
    re.IGNORECASE,
)


def has_code(text: str) -> bool:
    """Whether a text holds statements for a database, which no name and no request does."""
    return _CODE.search(text) is not None


def claims(text: str) -> tuple[tuple[int, int], ...]:
    """Places of everything that only pretends."""
    found = sorted(match.span() for pattern in _PATTERNS for match in pattern.finditer(text))
    return tuple(found)

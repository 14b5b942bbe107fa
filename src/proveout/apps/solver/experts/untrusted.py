"""Stretches of a task that try to be something else than a request.

Nothing in a text can change who asks or what is allowed, so nothing hangs on finding all of them:
they are skipped so that a name or verb inside them is not taken for what is wanted.
"""

import re

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        # Turns of a conversation that never took place.
        r"^[\s>#*\[\(<]*(?:system|assistant|developer|tool|context|admin|root|kontext|contexte"
        r"|contexto|contesto|kontekst|контекст|система|系统|上下文)\b[^\n:.!?]{0,40}:+"
        r"[^\n.!?]*[.!?]?",
        r"[\[<{(]\s*(system|context|assistant|developer|admin|inst|im_start|tool)\b[^\])>}]*"
        r"[\])>}](?:[^\n]*?[\[<{(]\s*/\s*\1\b[^\])>}]*[\])>}])?",
        r"^[\s#=*-]*(?:system|assistant|developer|context)\s*$\n[^\n]*",
        r"^[\s#=*-]+(?:user|question|request)\s*$",
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
        r"\b[^.!?\n:]*\b(?:rules?|polic(?:y|ies)|restrictions?|permissions?)\b[^.!?\n]{0,40}"
        r"\b(?:do not|don't|does not|doesn't|no longer|never) (?:apply|count|hold)\b"
        r"[^.!?\n]*[.!?]?",
        # Claims about identity.
        r"\b(?:current[_ ]?user|who_?am_?i|user_?id|is_public|the requester|the user)\s*(?:=|:|is)"
        r"\s*[^\s,;.]+",
        r"\b(?:i am|i'm|this is|speaking as|acting as|as)\s+(?:the\s+|your\s+|an?\s+)?"
        r"(?:ceo|cfo|coo|cto|chief \w+(?: officer)?|administrator|admin|root|hr (?:director|manager"
        r"|head)|head of hr|managing director|owner of the company)\b[^.!?\n,;:]{0,60}[.!,;:]?",
        r"\b(?:you are|you're) now\b[^.!?\n]*[.!?]?",
        r"\bich bin (?:der|die) (?:ceo|geschäftsführer\w*|administrator\w*)[^.!?\n,]*[.!,]?",
        r"\bsono (?:il|la) (?:ceo|direttore|direttrice|amministrat\w+)[^.!?\n,]*[.!,]?",
        r"\bje suis (?:le|la) (?:pdg|ceo|direct\w+|administrat\w+)[^.!?\n,]*[.!,]?",
        r"\bsoy (?:el|la) (?:ceo|direct\w+|administrad\w+)[^.!?\n,]*[.!,]?",
        r"\b(?:pre-?approved|already approved|approved by (?:the )?(?:ceo|board|management)),?\s+"
        r"(?:so|no need)[^.!?\n]*",
    )
)


_CODE = re.compile(
    r"\bunion\s+(?:all\s+)?select\b|\bdrop\s+table\s+\w+|'\s*or\s*'?\d'?\s*=", re.IGNORECASE
)


def has_code(text: str) -> bool:
    """Whether a text holds statements for a database, which no name and no request does."""
    return _CODE.search(text) is not None


def claims(text: str) -> tuple[tuple[int, int], ...]:
    """Places of everything that only pretends."""
    found = sorted(match.span() for pattern in _PATTERNS for match in pattern.finditer(text))
    return tuple(found)

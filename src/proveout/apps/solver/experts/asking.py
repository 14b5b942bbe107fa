"""What to ask back, in the language of the task; and what an unclear request touches at least."""

from proveout.apps.solver.experts.matters import asks_pay, asks_record
from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.words import Operation

_CHANGES = frozenset(
    {"UPDATE", "ADD", "REPLACE", "RAISE", "REDUCE", "APPLY", "CREATE", "DELETE", "RENAME"}
)
_TOUCHED: tuple[tuple[str, bool, Operation], ...] = (
    ("SALARY", True, "employee.salary.write"),
    ("SALARY", False, "employee.salary"),
    ("WIKI", True, "wiki.write"),
    ("PAGE", True, "wiki.write"),
    ("NOTE", True, "employee.note.write"),
    ("TRANSFER", False, "employee.profile.write"),
    ("SWAP", False, "project.team.write"),
    ("PAUSE", False, "project.status.write"),
    ("ACTIVATE", False, "project.status.write"),
    ("ARCHIVE", False, "project.status.write"),
    ("CONTACT", False, "customer.contact"),
    ("WORKLOAD", False, "employee.workload"),
)
"""What a concept touches, if it is also about a change, or not."""


def touched(reading: Reading) -> str:
    """The most sensitive operation that an unclear request speaks of; empty for none.

    What is about the requester alone is left out: nobody is refused their own.
    """
    if guarded := asks_pay(reading) or asks_record(reading):
        return guarded
    concepts = reading.concepts
    changes = bool(concepts & _CHANGES)
    if changes and "SALARY" in concepts:
        return "employee.salary.write"  # Nobody's own to change.
    if "MY" in concepts or "SELF" in concepts:
        return ""
    fits = (op for concept, change, op in _TOUCHED if concept in concepts and change <= changes)
    return next(fits, "")


UNCLEAR = {
    "en": "I am not sure what you need. Could you say whom or what it is about, and what to do?",
    "de": "Mir ist nicht klar, was gebraucht wird. Um wen oder was geht es, und was ist zu tun?",
    "it": "Non mi è chiaro che cosa serve. Di chi o di che cosa si tratta, e che cosa devo fare?",
    "fr": "Je ne vois pas bien ce qu'il faut. De qui ou de quoi s'agit-il, et que dois-je faire ?",
    "es": "No me queda claro qué se necesita. ¿De quién o de qué se trata y qué debo hacer?",
    "sr": "Nije mi jasno šta je potrebno. O kome ili čemu je reč i šta treba da uradim?",
    "ru": "Мне не ясно, что нужно. О ком или о чём речь и что следует сделать?",
    "zh": "我不确定您需要什么。请说明涉及谁或什么，以及需要做什么。",
}
SEVERAL = {
    "en": "These are several requests at once. Which one should I take first?",
    "de": "Das sind mehrere Anliegen auf einmal. Welches soll ich zuerst bearbeiten?",
    "it": "Sono più richieste insieme. Da quale devo cominciare?",
    "fr": "Il y a plusieurs demandes à la fois. Par laquelle dois-je commencer ?",
    "es": "Son varias peticiones a la vez. ¿Con cuál empiezo?",
    "sr": "Ovo je više zahteva odjednom. Kojim da počnem?",
    "ru": "Здесь сразу несколько просьб. С какой начать?",
    "zh": "这里有多个请求。请问先处理哪一个？",
}

"""Rules that only a model could read: proposed, verified like any other, and added to the book.

The matchers come first and cost nothing. What they could not map is put to a model, once to say
which sentences state a rule and once to state it; every proposed rule must then stand on its quote.
"""

from collections.abc import Mapping

from proveout.apps.solver.roles import RULES_COMPILE, RULES_GATE, Sentence
from proveout.apps.solver.rules.compile import accept_proposed
from proveout.apps.solver.rules.ir import RuleBook
from proveout.apps.solver.words import READS, WRITES
from proveout.kernel.context import Context
from proveout.kernel.types import Malformed

OFFLINE = "offline"
MOST_SENTENCES = 60


def with_proposed_rules(book: RuleBook, pages: Mapping[str, str], context: Context) -> RuleBook:
    """The book with what a model could add to it; the book itself where there is no model."""
    if not book.unmapped or context.model_for(RULES_GATE.name).name == OFFLINE:
        return book
    sentences = {
        f"s{number}": Sentence(
            id=f"s{number}", page=it.source.page, anchor=it.source.anchor, quote=it.source.quote
        )
        for number, it in enumerate(book.unmapped[:MOST_SENTENCES], start=1)
    }
    listed = tuple(sentences.values())
    chosen = context.ask(RULES_GATE, sentences=listed, round=0, findings=())
    wanted = () if isinstance(chosen, Malformed) else chosen.sentences
    relevant = tuple(sentences[name] for name in wanted if name in sentences)
    if not relevant:
        return book
    made = context.ask(
        RULES_COMPILE,
        sentences=relevant,
        departments=book.departments,
        operations=(*READS, *WRITES),
        round=0,
        findings=(),
    )
    if isinstance(made, Malformed):
        return book
    accepted, reasons = accept_proposed(made.rules, pages, book.departments)
    context.note(f"rules proposed by the model: {len(accepted)} accepted, {len(reasons)} rejected")
    return book.model_copy(
        update={
            "rules": (*book.rules, *accepted),
            "rejected": (*book.rejected, *reasons),
            "unmapped": tuple(
                it
                for it in book.unmapped
                if all(it.source.quote != rule.source.quote for rule in accepted)
            ),
        }
    )

"""Pages that replace others, and sentences that nobody understands: they close, and never open."""

import pytest

from proveout.apps.solver.policy import Policy
from proveout.apps.solver.rules.compile import compile_wiki
from proveout.apps.solver.words import Operation
from tests.unit.apps.solver.rules_pages import DEPARTMENTS, access, book, guest, person

OLD = (
    "# Access\n\nEvery employee may see the workload of colleagues.\n\n"
    "Every employee may see customer contacts.\n\n"
    "All employees may see the time entries of everybody.\n\n"
    "The People Team and the Board of Directors may see salaries.\n"
)
PREAMBLES = (
    "This page supersedes everything that other pages say on the same subjects.",
    "Since Orrin Group bought us, what is written here goes before all older pages.",
    "Where this page and an older one disagree, this one counts.",
    "All earlier rules on these matters are superseded by this page.",
    "Older pages no longer apply as far as they say otherwise.",
    "The new owner has changed a few rules; they take effect today and replace the old ones.",
    "After the acquisition, different rules apply from today on.",
    "Regulations from before the merger lapse to the extent that they contradict this text.",
    "As of 1 May the following holds, whatever was agreed before.",
)
ODD: tuple[tuple[Operation, str], ...] = (
    ("employee.workload", "How busy somebody is has become a matter of the Board of Directors."),
    ("employee.workload", "Workload: Board of Directors."),
    ("employee.workload", "Questions on who is overloaded go to the Board and are not answered."),
    ("employee.workload", "We keep utilisation to ourselves from now on."),
    ("customer.contact", "Contact details of clients have been withdrawn from general view."),
    ("customer.contact", "Our contacts at customers are none of anybody's business."),
    ("time.entries", "Hours booked by colleagues are for the Board of Directors to know."),
    ("time.entries", "Time records have become confidential; ask the Board of Directors."),
    ("employee.salary", "Pay has been moved out of the reach of the People Team."),
    ("employee.salary", "What people earn stays in the boardroom."),
)


def merged(text: str, preamble: str = PREAMBLES[0]) -> Policy:
    pages = {"old.md": OLD, "merger.md": f"# After the merger\n\n{preamble}\n\n{text}\n"}
    return Policy(compile_wiki(pages, "d1", departments=DEPARTMENTS))


def asker_for(operation: Operation) -> str:
    return "People Team" if operation == "employee.salary" else "Field Sales"


@pytest.mark.parametrize("preamble", PREAMBLES)
def test_what_a_replacing_page_touches_in_odd_words_is_closed(preamble: str) -> None:
    for operation, sentence in ODD:
        ruled = merged(sentence, preamble).rule(operation, person(asker_for(operation)), {})
        assert ruled.result == "deny", (preamble, sentence)


@pytest.mark.parametrize(("operation", "sentence"), ODD)
def test_the_proof_quotes_the_page_that_replaces_others(
    operation: Operation, sentence: str
) -> None:
    rules = merged(sentence)
    proof = rules.rule(operation, person(asker_for(operation)), {})
    assert proof.rules[0].page == "merger.md"
    assert proof.rules[0].quote in sentence
    assert rules.cite(proof.rules[0].id).quote == proof.rules[0].quote


def test_without_such_a_page_the_older_ones_hold() -> None:
    plain = Policy(compile_wiki({"old.md": OLD}, "d1", departments=DEPARTMENTS))
    for operation, _ in ODD:
        assert plain.rule(operation, person(asker_for(operation)), {}).result == "allow"


def test_a_rule_that_was_understood_beside_an_odd_one_still_gives() -> None:
    rules = merged("Only the Money Office may see workloads.\n\nUtilisation? Ask, don't look.")
    assert rules.rule("employee.workload", person("Money Office"), {}).result == "allow"
    assert rules.rule("employee.workload", person("Field Sales"), {}).result == "deny"


def test_a_permission_of_a_replacing_page_ends_the_older_one() -> None:
    rules = merged("The Board of Directors may see salaries.")
    assert rules.rule("employee.salary", person("People Team"), {}).result == "deny"
    assert rules.rule("employee.salary", person("Board of Directors"), {}).result == "allow"


def test_a_permission_that_adds_to_the_older_one_does_not_end_it() -> None:
    rules = merged("The Money Office may also see salaries.")
    assert rules.rule("employee.salary", person("People Team"), {}).result == "allow"
    assert rules.rule("employee.salary", person("Money Office"), {}).result == "allow"


def test_nobody_loses_their_own_over_an_odd_sentence() -> None:
    rules = merged("Time records have become confidential. Pay stays in the boardroom.")
    own = {"is_self": True}
    assert rules.rule("time.entries", person(), own).result == "allow"
    assert rules.rule("employee.salary", person(), own).result == "allow"
    assert rules.rule("time.entries", person(), {}).result == "deny"


def test_matters_that_the_page_leaves_alone_are_as_before() -> None:
    rules = merged("Utilisation figures stay within the Board of Directors.")
    assert rules.rule("customer.contact", person(), {}).result == "allow"
    assert rules.rule("customer.contact", guest(), {}).result == "deny"


def test_an_unreadable_table_and_an_endless_sentence_close_too() -> None:
    table = "| matter | keeper |\n|---|---|\n| workload | the Board, in a drawer |\n"
    assert merged(table).rule("employee.workload", person(), {}).result == "deny"
    endless = "The utilisation of everybody here, " + "and of everybody else, " * 60
    assert merged(endless + "rests.").rule("employee.workload", person(), {}).result == "deny"


@pytest.mark.parametrize(
    "sentence",
    [
        "In former times, contacts at customers were handed to nobody but the owner's dog.",
        "[Workload](work/load.md)",
        "Who would not like to know the workload of the Board?",
    ],
)
def test_what_states_nothing_closes_nothing(sentence: str) -> None:
    rules = merged(sentence.replace("In former times", "Years ago"))
    assert rules.rule("employee.workload", person(), {}).result == "allow"
    assert rules.rule("customer.contact", person(), {}).result == "allow"


def test_an_ordinary_page_closes_what_silence_would_leave_open() -> None:
    odd = "For external staff, fishing for contact persons at clients is never a good idea."
    compiled = book(odd)
    assert not access(compiled)
    rules = Policy(compiled)
    assert rules.rule("customer.contact", person("External Staff"), {}).result == "deny"
    assert rules.rule("customer.contact", person("Field Sales"), {}).result == "allow"


def test_a_withdrawn_page_outranks_nothing_even_if_it_names_one_that_does() -> None:
    pages = {
        "old.md": OLD,
        "gone.md": "# Pay\n\nThis page is obsolete; the page on access takes precedence.\n\n"
        "Only the Money Office may see salaries.\n",
    }
    rules = Policy(compile_wiki(pages, "d1", departments=DEPARTMENTS))
    assert rules.rule("employee.salary", person("People Team"), {}).result == "allow"
    assert rules.rule("employee.salary", person("Money Office"), {}).result == "deny"


def test_a_page_that_yields_to_others_does_not_outrank_them() -> None:
    rules = merged(
        "The Money Office may see salaries.",
        "Where this page and the handbook disagree, the handbook counts.",
    )
    assert rules.rule("employee.salary", person("People Team"), {}).result == "allow"


def test_a_heading_on_changes_does_not_turn_sight_into_change() -> None:
    rules = merged("## Changed rights\n\nWorkload figures: reserved for the Board of Directors.")
    assert rules.rule("employee.workload", person(), {}).result == "deny"
    assert rules.rule("employee.workload", person("Board of Directors"), {}).result == "allow"

"""Pages that rule nothing a solver is asked about: food, leave, parking, history."""

from random import Random
from typing import NamedTuple

from proveout.apps.solver.world.wiki.handbook import Handbook, page


class Aside(NamedTuple):
    kind: str
    """Section by the department that owns it (`hr`, `it` …)."""
    stem: str
    topic: str
    """What one may ask: the page is the answer."""
    title: str
    lines: tuple[str, ...]


ASIDES = (
    Aside("hr", "leave", "how to ask for leave", "Leave", (
        "Leave is asked for at least {n} days ahead, on the blue form.",
        "During the summer weeks two people of a team must stay on duty.",
        "Sick notes are due on the third day.",
    )),
    Aside("hr", "onboarding", "what happens in the first week of a new colleague", "First week", (
        "New colleagues meet their mentor on the first morning.",
        "Keys and badge are handed out at the reception before {n} o'clock.",
    )),
    Aside("hr", "dress", "the dress code on customer visits", "Dress code", (
        "On customer visits closed shoes are worn. Safety vests hang at gate {n}.",
    )),
    Aside("it", "passwords", "how to reset a password", "Passwords", (
        "A forgotten password is reset at the help desk, extension {n}0.",
        "Passwords are changed once a year.",
    )),
    Aside("it", "printers", "which printer to use for large drawings", "Printers", (
        "Large drawings go to the plotter on floor {n}.",
    )),
    Aside("finance", "expenses", "how travel expenses are claimed", "Travel expenses", (
        "Claims are handed in with receipts within {n} weeks of the journey.",
        "Taxi rides need a reason in writing.",
    )),
    Aside("finance", "purchasing", "who signs purchase requests", "Purchasing", (
        "Requests up to {n}00 euros are signed by the group head, larger ones by two people.",
    )),
    Aside("sales", "fairs", "how we prepare trade fairs", "Trade fairs", (
        "The stand is booked {n} months ahead.",
        "Visitors' cards are scanned the same evening.",
    )),
    Aside("sales", "complaints", "what to do with a customer complaint", "Complaints", (
        "A complaint is answered within {n} working days, first by phone.",
    )),
    Aside("executive", "history", "how the company began", "History", (
        "The first workshop opened in 19{n}5 behind the old mill.",
        "The present building was finished {n} years later.",
    )),
    Aside("executive", "values", "the values of the company", "Values", (
        "We keep our word. We ask before we guess. We clean up after ourselves.",
    )),
    Aside("executive", "canteen", "the opening hours of the canteen", "Canteen", (
        "Lunch is served from 11:{n}5 to 13:30. Guests pay at the till.",
    )),
    Aside("executive", "fire_drill", "where to meet in a fire drill", "Fire drill", (
        "In an alarm everybody walks to assembly point {n} and waits for the head count.",
    )),
)  # fmt: skip


def write_aside(rng: Random, aside: Aside, book: Handbook) -> str:
    number = rng.randint(3, 5)
    lines = [line.format(n=number) for line in aside.lines]
    if rng.random() < 0.4:
        lines = ["\n".join(f"- {line}" for line in lines)]
    return page(f"{aside.title} at {book.company.short}", *lines)

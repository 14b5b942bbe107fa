"""From a spec's values to the words of a task: how people name things, with all their variety."""

import random
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from proveout.apps.solver.world.graph import Customer, Person, Project, Site, Trait
from proveout.apps.solver.world.wordings import Lexicon, Pattern

ENGLISH_SHARE = 0.5
OPENING_SHARE = 0.15
SLIP_SHARE = 0.02
TOKENS = {
    "en": ("Yes", "No"),
    "de": ("Ja", "Nein"),
    "it": ("Sì", "No"),
    "fr": ("Oui", "Non"),
    "es": ("Sí", "No"),
    "sr": ("Da", "Ne"),
    "zh": ("是", "否"),
    "ru": ("Да", "Нет"),
}
ROLE_WORDS = {"QA": ("QA", "quality assurance engineer"), "Ops": ("Ops", "Ops person")}


@dataclass(frozen=True)
class Day:
    """A day, said relative to today or by its date."""

    day: date
    today: date


@dataclass(frozen=True)
class Span:
    first: date
    last: date
    today: date


@dataclass(frozen=True)
class Place:
    """A place by its name per language; English where a language has no own name."""

    names: Mapping[str, str]


@dataclass(frozen=True)
class RoleName:
    role: str


@dataclass(frozen=True)
class Verbatim:
    """Said exactly as it stands, in every language."""

    text: str


Slot = (
    str
    | int
    | Person
    | Project
    | Customer
    | Site
    | Trait
    | Day
    | Span
    | Place
    | RoleName
    | Verbatim
)


@dataclass(frozen=True)
class Utterance:
    text: str
    pattern: Pattern


def fold(text: str) -> str:
    """Letters without marks, lower case: to tell whether two names look alike."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def is_cyrillic(text: str) -> bool:
    return any("Ѐ" <= c <= "ӿ" for c in text)


def tokens(pattern: Pattern) -> tuple[str, str]:
    """The two words of a yes/no answer, in the script of the pattern."""
    if pattern.language == "sr" and is_cyrillic(pattern.text):
        return "Да", "Не"
    return TOKENS[pattern.language]


@dataclass(frozen=True)
class Speaker:
    """Renders patterns; every choice comes from one random stream."""

    lexicon: Lexicon
    rng: random.Random

    def choose(self, frame: str, needs: tuple[str, ...] = ()) -> Pattern:
        """A pattern of the frame, in a language that has all the phrases needed."""
        usable = [
            language
            for language in self.lexicon.languages(frame)
            if language != "en" and all(self.lexicon.phrase(language, key) for key in needs)
        ]
        foreign = usable and self.rng.random() > ENGLISH_SHARE
        language = self.rng.choice(usable) if foreign else "en"
        return self.rng.choice(self.lexicon.of(frame, language))

    def say(
        self,
        frame: str,
        slots: Mapping[str, Slot],
        endings: tuple[str, ...] = (),
        extra: Mapping[str, str] | None = None,
    ) -> Utterance:
        """Fill a pattern. `endings` are phrase keys whose sentences are appended."""
        dated = any(isinstance(slot, Day | Span) for slot in slots.values())
        pattern = self.choose(frame, (*endings, *(("months",) if dated else ())))
        yes, no = tokens(pattern)
        values = {key: self.name(slot, pattern.language) for key, slot in slots.items()}
        body = self._slipped(pattern).format_map({**values, "yes": yes, "no": no})
        if pattern.language == "en":
            body = re.sub(r"\b([Aa]) (?=[AEIOU])", r"\1n ", body)
        for key in endings:
            if key == "tie" and "tie" in pattern.text:
                continue
            clause = self.rng.choice(self.lexicon.phrase(pattern.language, key))
            gap = "" if pattern.language == "zh" else " "
            stop = "" if body.endswith((".", "?", "!", "。", "？")) else _stop(pattern.language)
            body = f"{body}{stop}{gap}{clause.format_map(extra or {})}"
        return Utterance(self._opened(body, pattern.language), pattern)

    def _opened(self, body: str, language: str) -> str:
        openings = self.lexicon.phrase(language, "opening")
        if openings and self.rng.random() < OPENING_SHARE:
            return self.rng.choice(openings) + body
        return body

    def _slipped(self, pattern: Pattern) -> str:
        """Rarely, a word of the pattern itself has two letters swapped, as in haste."""
        if pattern.language != "en" or self.rng.random() > SLIP_SHARE:
            return pattern.text
        outside = re.sub(r"\{\w+\}", lambda slot: " " * len(slot[0]), pattern.text)
        words = list(re.finditer(r"\b[a-z]{7,}\b", outside))
        if not words:
            return pattern.text
        word = self.rng.choice(words)
        at = self.rng.randrange(word.start() + 2, word.end() - 2)
        text = pattern.text
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]

    def name(self, slot: Slot, language: str) -> str:
        """One of the ways in which people call the thing."""
        match slot:
            case Person():
                return self._person(slot)
            case Project():
                return self._project(slot, language)
            case Customer():
                return self._customer(slot, language)
            case Site():
                return slot.location
            case Trait():
                return slot.id if self.rng.random() < 0.15 else slot.label
            case Day():
                return self._day(slot, language)
            case Span():
                return self._span(slot, language)
            case Place():
                return slot.names.get(language) or slot.names["en"]
            case RoleName():
                options = ROLE_WORDS.get(slot.role, (slot.role,)) if language == "en" else ()
                return self.rng.choice(options or (slot.role,))
            case Verbatim():
                return slot.text
            case _:
                return str(slot)

    def _person(self, person: Person) -> str:
        roll = self.rng.random()
        if roll < 0.35 and person.given and person.family:
            return person.swapped_name
        return person.name

    def _project(self, project: Project, language: str) -> str:
        roll = self.rng.random()
        if language == "en" and roll < 0.35 and project.paraphrases:
            return self.rng.choice(project.paraphrases)
        if roll > 0.93:
            return project.id
        if 0.86 < roll <= 0.93:
            return project.name.replace(" ", "-")
        return project.name

    def _customer(self, customer: Customer, language: str) -> str:
        roll = self.rng.random()
        if language == "en" and roll < 0.4 and customer.aliases:
            return self.rng.choice(customer.aliases)
        return customer.real_name or customer.name

    def _day(self, slot: Day, language: str) -> str:
        ago = (slot.today - slot.day).days
        keys = {0: "today", 1: "yesterday", 2: "day_before_yesterday"}
        relative = self.lexicon.phrase(language, keys.get(ago, "days_ago" if ago > 0 else ""))
        if relative and ago < 15 and self.rng.random() < 0.7:
            return self.rng.choice(relative).format_map({"n": ago})
        on = self.rng.choice(self.lexicon.phrase(language, "on_date"))
        return on.format_map({"date": self._date(slot.day, language)})

    def _date(self, day: date, language: str) -> str:
        if language == "en" and self.rng.random() < 0.3:
            month = self.lexicon.phrase("en", "months")[day.month - 1]
            return f"{day.day} {month} {day.year}"
        return day.isoformat()

    def _span(self, slot: Span, language: str) -> str:
        def phrase(key: str) -> tuple[str, ...]:
            return self.lexicon.phrase(language, key)

        if slot.first.day == 1 and (slot.last + timedelta(days=1)).day == 1:
            one_month = slot.first.month == slot.last.month and slot.first.year == slot.last.year
            last = slot.today.replace(day=1) - timedelta(days=1)
            if one_month and slot.last == last and phrase("last_month") and self.rng.random() < 0.5:
                return self.rng.choice(phrase("last_month"))
            if one_month and self.rng.random() < 0.5:
                month = phrase("months")[slot.first.month - 1]
                return self.rng.choice(phrase("in_month")).format_map(
                    {"month": month, "year": slot.first.year}
                )
        return self.rng.choice(phrase("between")).format_map(
            {"from": self._date(slot.first, language), "to": self._date(slot.last, language)}
        )


def _stop(language: str) -> str:
    return "。" if language == "zh" else "."

"""One clause taken apart: who acts, on what, by which verb, with which exception and condition."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from proveout.apps.solver.rules.cast import Cast, Mention
from proveout.apps.solver.rules.ir import Audience
from proveout.apps.solver.rules.lexicon import NO_SIGHT, OWN_TWIN, Action, operations_for
from proveout.apps.solver.rules.limits import needs_no_approval
from proveout.apps.solver.rules.spots import ActionSpot, Spots, TopicSpot
from proveout.apps.solver.rules.text import phrase
from proveout.apps.solver.words import Operation

_NOBODY = r"(?:nobody|no one|no-one|none|nothing|noone)"
_TARGET = re.compile(
    r"(?:\b(?:of|about|on behalf of|for|on|regarding|concerning|than|between|among|with)\s+)"
    r"(?:(?:the|their|other|another|any|all|own|fellow|every|each|a|an|his|her|its|one of"
    r"|your)\s+)*$"
)
_RECIPIENT = re.compile(
    r"\b(?:visible|available|reserved|open|accessible|meant|intended|only|limited|restricted"
    r"|allowed"
    r"|permitted|confidential|right|rights|responsibility|hands|privilege|task|prerogative|job|duty|eyes"
    r"|domain|matter|decision|exclusively|solely|forbidden|prohibited|lies|lie|rests?|stays?"
    r"|remains?|off limits|is|are)\s+(?:for|of|with|on)\s+(?:the\s+|all\s+|any\s+)*$"
)
_CONDITION = re.compile(
    r"\b(?:(?:and )?only )?(?:if|once|provided|as long as|on condition|given that|subject to|after"
    r"|when"
    r"|requires?|needs?|needing|with|upon|backed by|based on|following|where|unless|without"
    r"|until)\b"
)
_RELATIONS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("project_lead", re.compile(
        r"\b(?:projects?|teams?|ones|those)\s+(?:that |which )?(?:they|you|he or she|one|he|she)\s+"
        r"(?:themselves |yourself )?(?:leads?|runs?|heads?|(?:is|are) leading|(?:is"
        r"|are) (?:the )?leads? of)"
        r"|\bif (?:they|you) (?:lead|run|head) (?:it|the project|that project)\b")),
    ("project_member", re.compile(
        r"\b(?:projects?|teams?|ones|those)\s+(?:that |which |where )?(?:they|you|he or she|one)\s+"
        r"(?:themselves )?(?:work on|(?:is|are) (?:a |an )?(?:members?|part|on|in|assigned)"
        r"|belong to"
        r"|take part|participate|sit on)")),
    ("account_manager", re.compile(
        r"\b(?:customers?|accounts?|clients?)\s+(?:that |which |whom )?(?:they|you|he or she)\s+"
        r"(?:themselves )?(?:manage|look after|own|are responsible for|handle)")),
)  # fmt: skip
_NARROWED = frozenset({"employee", "everyone"})
_ATTRIBUTE = re.compile(
    r"\bof (?:(?:an?|the|any|each|every|that|this|their|its|our) )?(?:\w+ (?:or|and) (?:an? "
    r"|the )?)?$"
)
"""Before a noun that only says whose thing another noun is: the time entries of a project."""
_STATUS = phrase(r"(drafts?|submitted|approved|invoiced|voided)")
_CHIEF = phrase(
    r"ceo|chief executive(?: officer)?|managing director|board|executives?|leadership|chief"
)
_NO_SIGHT = phrase(NO_SIGHT)
_FOR_WHOM = re.compile(r"\W*(?:and |but )?(?:for|to)\s+(?:the\s+)*")
_OBJECT_GAP = 6
_CHANGED_GAP = 4
_LIST_GAP = 5
_PASSIVE_GAP = 9

_Placed = TypeVar("_Placed", Mention, TopicSpot)


@dataclass(frozen=True)
class Scene:
    """What the surroundings of a clause supply where it says less itself."""

    cast: Cast
    people: tuple[Audience, ...] = ()
    topics: tuple[TopicSpot, ...] = ()
    action: Action | None = None
    context: str = ""
    """Folded headings that lead to the clause."""
    exhaustive: bool = False
    """A table of permissions: whoever is not listed is not allowed."""


class Clause:
    """The parts of a clause; whatever it leaves out, its scene supplies."""

    def __init__(self, spots: Spots, scene: Scene) -> None:
        self.spots = spots
        self.scene = scene
        self.cut = self._condition_start()
        self.out_start, self.out_end = self._exception_span()

    def _condition_start(self) -> int:
        """Where a condition on approval begins; nothing after it names what is allowed."""
        for found in _CONDITION.finditer(self.spots.text):
            tail = [one for one in self.spots.signs["approval"] if one.start >= found.start()]
            first = not any(one.end <= found.start() for one in self.spots.topics)
            if tail and not (first and "," in self.spots.text[found.start() :]):
                return found.start()
        return len(self.spots.text)

    def _exception_span(self) -> tuple[int, int]:
        """The exception: from its sign to the next verb, comma or the end."""
        text = self.spots.text
        marks = [one.start for one in self.spots.signs["exception"] if one.start < self.cut]
        marks += [found.start(1) for found in re.finditer(rf"\b{_NOBODY}\s+(but)\b", text)]
        if not marks:
            return self.cut, self.cut
        start = min(marks)
        stops = [one.start for one in self.spots.actions if one.start > start]
        stops += [
            found.start()
            for found in re.finditer(
                r",(?! (?:and|or)\b)|\b(?:may|can|must|shall)\b|\bis\b|\bare\b", text
            )
            if found.start() > start + (0 if found[0] == "," else len("unless they are "))
            and not self._list_goes_on(found)
        ]
        within = [one.end for one in self.spots.people if start <= one.start < self.cut]
        end = min([stop for stop in stops if not within or stop >= within[0]], default=self.cut)
        return start, max(min(end, self.cut), start)

    def _list_goes_on(self, sign: re.Match[str]) -> bool:
        """Whether a comma stands between members of a list of people."""
        if sign[0] != ",":
            return False
        following = [one for one in self.spots.people if one.start >= sign.end()]
        if not following or following[0].audience.who == "nobody":
            return False
        return not re.search(r"[a-z]", self.spots.text[sign.end() : following[0].start])

    def _in_main(self, one: Mention | TopicSpot) -> bool:
        return one.end <= self.cut and not self.out_start <= one.start < self.out_end

    def _is_target(self, person: Mention) -> bool:
        before = self.spots.text[: person.start]
        if re.match(r"'", self.spots.text[person.end :]):
            return True
        return bool(_TARGET.search(before)) and not _RECIPIENT.search(before)

    def named(self) -> list[Mention]:
        people = [
            one for one in self.spots.people if self._in_main(one) and not self._is_target(one)
        ]
        if not people and self.spots.people and _FOR_WHOM.fullmatch(self._before_people()):
            # "For all others they stay hidden": nobody else is spoken of.
            people = [self.spots.people[0]]
        return list(self._outside(people))

    def _before_people(self) -> str:
        return self.spots.text[: self.spots.people[0].start]

    def _outside(self, spots: Sequence[_Placed]) -> tuple[_Placed, ...]:
        """Without what stands in brackets, unless all does."""
        brackets = [found.span() for found in re.finditer(r"\([^)]*\)", self.spots.text)]
        free = tuple(
            one for one in spots if not any(start < one.start < end for start, end in brackets)
        )
        return free or tuple(spots)

    def subjects(self) -> tuple[Audience, ...]:
        """Who acts, or to whom something is open."""
        named = self.named()
        actions = [one.start for one in self.spots.actions if one.end <= self.cut]
        first = [one for one in named if not actions or one.start < actions[0]]
        chosen = first or named
        relation = self._relation()
        if relation and all(one.audience.who in _NARROWED for one in chosen):
            return (Audience.model_validate({"who": relation}),)
        return tuple(dict.fromkeys(self._audience(one) for one in chosen))

    def _audience(self, person: Mention) -> Audience:
        """Whom a mention means here: the owner of a page is no owner of their own data."""
        text = self.spots.text[person.start : person.end]
        pages = any(one.topic == "wiki" for one in self.spots.topics)
        if person.audience.who == "self" and pages and "owner" in text:
            return Audience(who="page_owner")
        return person.audience

    def last_action(self) -> Action | None:
        return self.spots.actions[-1].action if self.spots.actions else None

    def _relation(self) -> str:
        for who, pattern in _RELATIONS:
            if pattern.search(self.spots.text):
                return who
        return ""

    def main_topics(self) -> tuple[TopicSpot, ...]:
        """Nouns of the main part, without those that only describe the people."""
        found = tuple(
            one
            for position, one in enumerate(self.spots.topics)
            if self._in_main(one)
            and not self._describes_team(one)
            and not (position and _ATTRIBUTE.search(self.spots.text[: one.start]))
        )
        named, verbs = self.named(), [one for one in self.spots.actions if one.end <= self.cut]
        found = self._outside(found)
        if not named:
            return found
        if not verbs:
            return tuple(one for one in found if one.start < named[0].start) or found
        if named[0].end <= verbs[0].start:
            objects = tuple(one for one in found if one.start >= verbs[0].start)
        else:
            objects = tuple(one for one in found if one.start < named[0].start)
        return objects or found

    def _describes_team(self, topic: TopicSpot) -> bool:
        """`people in their teams` speaks of people, not of changing a team."""
        return topic.topic in {"team", "project"} and any(
            one.start < topic.end and topic.start < one.end for one in self.spots.signs["team"]
        )

    def operations(self, topics: tuple[TopicSpot, ...], own: bool) -> tuple[Operation, ...]:
        found: dict[Operation, None] = {}
        for topic in topics:
            action = self._action_for(topic)
            if action is None or (topic.topic == "status" and not self._about_projects()):
                continue
            for operation in operations_for(action, topic.topic):
                mine = own and self._is_own(topic)
                found.setdefault(OWN_TWIN.get(operation, operation) if mine else operation)
        if "customer.contact" in found and not any(one.topic == "contact" for one in topics):
            del found["customer.contact"]
        if "project.status.write" in found and any(
            one.topic in {"status", "team"} for one in topics
        ):
            bare = {"status": "project.status.write", "team": "project.team.write"}
            wanted = {bare[one.topic] for one in topics if one.topic in bare}
            found = {o: None for o in found if not o.startswith("project.") or o in wanted}
        return tuple(found)

    def _about_projects(self) -> bool:
        """`status` and `phase` belong to customers and time entries as well."""
        if any(one.topic == "time" for one in self.spots.topics):
            return False
        return "project" in self.spots.text or "project" in self.scene.context

    def _action_for(self, topic: TopicSpot) -> Action | None:
        """The verb whose object the noun is: before it, or after it in the passive."""
        if topic not in self.spots.topics:
            return self.spots.actions[0].action if self.spots.actions else self.scene.action
        before = [
            one for one in self.spots.actions if one.start < topic.start and one.end <= self.cut
        ]
        after = [
            one for one in self.spots.actions if one.start > topic.start and one.end <= self.cut
        ]
        if before and self._reaches(before[-1], topic):
            return before[-1].action
        if after and _gap(self.spots.text, topic.end, after[0].start) <= _PASSIVE_GAP:
            return after[0].action
        if before or after:
            return None
        if re.search(r"\bchanges?$", self.spots.text[topic.start : topic.end]):
            return "change"
        closed = self.spots.has("only") or self.spots.has("secret")
        none = any(one.end == topic.start for one in self.spots.signs["negation"])
        shut = closed or none or bool(_NO_SIGHT.search(self.spots.text))
        return self.scene.action or ("see" if shut else None)

    def _reaches(self, verb: ActionSpot, topic: TopicSpot) -> bool:
        """Whether the noun is near enough to the verb, directly or through a list of nouns."""
        most = _OBJECT_GAP if verb.action == "see" else _CHANGED_GAP
        if _gap(self.spots.text, verb.end, topic.start) <= most:
            return True
        between = [one for one in self.spots.topics if verb.end <= one.start < topic.start]
        return bool(between) and (
            _gap(self.spots.text, between[-1].end, topic.start) <= _LIST_GAP
            and self._reaches(verb, between[-1])
        )

    def _is_own(self, topic: TopicSpot) -> bool:
        text = self.spots.text[max(0, topic.start - 40) : topic.start]
        if re.search(r"\b(?:own|self)\s+(?:\w+\s+(?:and\s+|or\s+)?){0,2}$", text):
            return True
        if "self assessment" in self.spots.text or "self-assessment" in self.spots.text:
            return topic.topic in {"skills", "profile"}
        if re.search(r"(?:they|you) earn\b|themselves$", self.spots.text[topic.start : topic.end]):
            return True
        general = all(one.who in {"employee", "everyone", "external"} for one in self.audience())
        if self._action_for(topic) == "see":
            return False
        return general and bool(re.search(r"\b(?:their|his or her|your|my)\s+(?:\w+\s+)?$", text))

    def audience(self) -> tuple[Audience, ...]:
        return self.subjects() or self.scene.people

    def excepted_operations(self) -> tuple[Operation, ...]:
        inside = tuple(
            one
            for one in self.spots.topics
            if self.out_start <= one.start < max(self.out_end, self.cut)
        )
        people = [one for one in self.spots.people if self.out_start <= one.start < self.out_end]
        if self.out_start >= self.cut or people:
            return ()
        return self.operations(inside, own=True)

    def only_kind(self) -> Literal["people", "objects", "none"]:
        """What an `only` singles out: people, what they may have, or merely a circumstance."""
        topics = [one.start for one in self.main_topics()]
        named = self.named()
        for only in self.spots.signs["only"]:
            if only.start >= self.cut or self._of_status(only.start, only.end):
                continue
            before = [one for one in named if one.end <= only.start]
            after = [one for one in named if one.start >= only.end]
            topic_before = [one for one in topics if one < only.start]
            if after and (not before or topic_before):
                return "people"
            if before and topic_before and min(topic_before) < before[0].start:
                return "people"
            if before and re.match(r"nobody|no one|alone|and no", self.spots.text[only.start :]):
                return "people"
            if not before and not after and self.scene.people and topic_before:
                return "people"
            if before and topics and re.match("nothing", self.spots.text[only.start :]):
                return "objects"
            if before and not topic_before and topics:
                return "objects"
        return "none"

    def _of_status(self, start: int, end: int) -> bool:
        """`only in status draft`, `draft and no other`: it singles out a status, nobody."""
        if re.match(r"nobody|no one", self.spots.text[start:]):
            return False
        return bool(_STATUS.search(self.spots.text[max(0, start - 14) : end + 25]))

    def needs_approval(self) -> bool:
        tail = self.spots.text[self.cut :]
        named = bool(_CHIEF.search(self.spots.text)) and self.spots.has("approval")
        return bool(tail) and named and not needs_no_approval(self.spots.text)

    def excepted_people(self) -> tuple[Audience, ...]:
        """Whom the exception names."""
        inside = [one for one in self.spots.people if self.out_start <= one.start < self.out_end]
        return tuple(dict.fromkeys(one.audience for one in inside))


def _gap(text: str, start: int, end: int) -> int:
    """Words between two places."""
    return len(re.findall(r"[\w&']+", text[start:end]))

"""What one clause says about who may do what.

Active ("HR may see salaries"), passive ("salaries are visible to HR"), exclusive ("only HR", "nobody
but HR"), negated, with exceptions, conditions and references to oneself, to one's own team or to
projects one leads.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from proveout.apps.solver.rules import lexicon
from proveout.apps.solver.rules.cast import Cast, Mention
from proveout.apps.solver.rules.grants import Strength, grant_strength
from proveout.apps.solver.rules.ir import Audience
from proveout.apps.solver.rules.lexicon import OWN_TWIN, Action, operations_for
from proveout.apps.solver.rules.spots import Spots, TopicSpot, spot
from proveout.apps.solver.rules.text import fold, phrase
from proveout.apps.solver.words import READS, Operation, ReadOperation

_NOBODY = r"(?:nobody|no one|no-one|none|nothing|noone)"
_SPLIT = re.compile(
    r";(?!\s*(?:and\s+)?(?:nobody|no one) else|\s*the status must)|(?<!nobody)(?<!no one)(?<!nothing)(?<!none),?\s+(?:but(?! also| not| only)|whereas|while|however|yet)\s+"
    r"|\.\s+"
)
_TARGET = re.compile(
    r"(?:\b(?:of|about|on behalf of|for|on|regarding|concerning|than|between|among|with)\s+)"
    r"(?:(?:the|their|other|another|any|all|own|fellow|every|each|a|an|his|her|its|one of|your)\s+)*$"
)
_RECIPIENT = re.compile(
    r"\b(?:visible|available|reserved|open|accessible|meant|intended|only|limited|restricted|allowed"
    r"|permitted|confidential|right|rights|responsibility|hands|privilege|task|prerogative|job|duty"
    r"|domain|matter|decision|exclusively|solely|forbidden|prohibited|lies|lie|rests?|stays?|remains?|off limits|is|are)\s+(?:for|of|with|on)\s+(?:the\s+|all\s+|any\s+)*$"
)
_CONDITION = re.compile(
    r"\b(?:(?:and )?only )?(?:if|once|provided|as long as|on condition|given that|subject to|after|when"
    r"|requires?|needs?|needing|with|upon|backed by|based on|following|where|unless|without|until)\b"
)
_RELATIONS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("project_lead", re.compile(
        r"\b(?:projects?|teams?|ones|those)\s+(?:that |which )?(?:they|you|he or she|one|he|she)\s+"
        r"(?:themselves |yourself )?(?:leads?|runs?|heads?|(?:is|are) leading|(?:is|are) (?:the )?leads? of)"
        r"|\bif (?:they|you) (?:lead|run|head) (?:it|the project|that project)\b")),
    ("project_member", re.compile(
        r"\b(?:projects?|teams?|ones|those)\s+(?:that |which |where )?(?:they|you|he or she|one)\s+"
        r"(?:themselves )?(?:work on|(?:is|are) (?:a |an )?(?:members?|part|on|in|assigned)|belong to"
        r"|take part|participate|sit on)")),
    ("account_manager", re.compile(
        r"\b(?:customers?|accounts?|clients?)\s+(?:that |which |whom )?(?:they|you|he or she)\s+"
        r"(?:themselves )?(?:manage|look after|own|are responsible for|handle)")),
)  # fmt: skip
_NARROWED = frozenset({"employee", "everyone"})
_GENERAL = frozenset({"employee", "everyone", "project_member"})
_SECRET_TOPICS = frozenset({"salary", "notes", "contact", "time", "workload"})
_ATTRIBUTE = re.compile(r"\bof (?:(?:an?|the|any|each|every|that|this|their|its|our) )?(?:\w+ (?:or|and) (?:an? |the )?)?$")
"""Before a noun that only says whose thing another noun is: the time entries of a project."""
_REST = re.compile(r"\b(?:anything|everything|nothing) (?:else|beyond|more|further)\b")
_LEAD_OF_BOTH = re.compile(
    r"on their own projects and of people|projects and people they lead|of the project or of a project that"
)
_STATUS = phrase(r"(drafts?|submitted|approved|invoiced|voided)")
_AFTER_APPROVAL = re.compile(r"\b(?:after|once|following)\b[^,;]{0,30}\bapprov|\bapproved entries\b")
_CHIEF = phrase(r"ceo|chief executive(?: officer)?|managing director|board|executives?|leadership|chief")
_CLAUSE_START = 3
_OBJECT_GAP = 6
_LIST_GAP = 5
_PASSIVE_GAP = 9
_EVERYONE = Audience(who="everyone")
_SELF = Audience(who="self")


_Placed = TypeVar("_Placed", Mention, TopicSpot)


@dataclass(frozen=True)
class Reading:
    effect: Literal["allow", "deny"]
    audience: tuple[Audience, ...]
    operations: tuple[Operation, ...]
    statuses: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


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


def read_clauses(text: str, scene: Scene) -> tuple[Reading, ...]:
    """Everything the text says about permissions; later clauses lean on earlier ones."""
    readings: list[Reading] = []
    for part in _parts(text, scene.cast):
        clause = _Clause(spot(part, scene.cast), scene)
        readings += clause.read()
        scene = replace(
            scene,
            people=clause.subjects() or scene.people,
            topics=clause.main_topics() or scene.topics,
            action=clause.last_action() or scene.action,
        )
    return tuple(readings)


def _parts(text: str, cast: Cast) -> list[str]:
    parts = []
    begin = 0
    for cut in _SPLIT.finditer(fold(text)):
        parts += _by_subject(text[begin : cut.start()], cast)
        begin = cut.end()
    return parts + _by_subject(text[begin:], cast)


def _by_subject(part: str, cast: Cast) -> list[str]:
    """Split where a second subject with its own verb begins: `..., and HR may ...`."""
    spots = spot(part, cast)
    if any(one.start < _CLAUSE_START for one in spots.signs["exception"]):
        return [part]
    for person in spots.people:
        before, after = spots.text[: person.start], spots.text[person.end :]
        begins = re.search(r"(?:,|\band|\bbut|,\s*and)\s*(?:only\s+|the\s+)*$", before)
        goes_on = re.match(r"\s*(?:may|can|must|are|is|have|has|will|cannot|do|does)\b", after)
        complete = any(one.end <= person.start for one in spots.topics) and any(
            one.end <= person.start for one in spots.actions
        )
        if begins and goes_on and complete:
            cut = begins.start()
            return [part[:cut], *_by_subject(part[begins.start() :].lstrip(" ,"), cast)]
    return [part]


class _Clause:
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
            for found in re.finditer(r",(?! (?:and|or)\b)|\b(?:may|can|must|shall)\b|\bis\b|\bare\b", text)
            if found.start() > start + len("unless they are ") and not self._list_goes_on(found)
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

    def _named(self) -> list[Mention]:
        people = [one for one in self.spots.people if self._in_main(one) and not self._is_target(one)]
        return list(self._outside(people))

    def _outside(self, spots: Sequence[_Placed]) -> tuple[_Placed, ...]:
        """Without what stands in brackets, unless all does."""
        brackets = [found.span() for found in re.finditer(r"\([^)]*\)", self.spots.text)]
        free = tuple(
            one for one in spots if not any(start < one.start < end for start, end in brackets)
        )
        return free or tuple(spots)

    def subjects(self) -> tuple[Audience, ...]:
        """Who acts, or to whom something is open."""
        named = self._named()
        actions = [one.start for one in self.spots.actions if one.end <= self.cut]
        first = [one for one in named if not actions or one.start < actions[0]]
        chosen = first or named
        relation = self._relation()
        if relation and all(one.audience.who in _NARROWED for one in chosen):
            return (Audience.model_validate({"who": relation}),)
        return tuple(dict.fromkeys(one.audience for one in chosen))

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
        named, verbs = self._named(), [one for one in self.spots.actions if one.end <= self.cut]
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

    def _operations(self, topics: tuple[TopicSpot, ...], own: bool) -> tuple[Operation, ...]:
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
        if "project.status.write" in found and any(one.topic in {"status", "team"} for one in topics):
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
        before = [one for one in self.spots.actions if one.start < topic.start and one.end <= self.cut]
        after = [one for one in self.spots.actions if one.start > topic.start and one.end <= self.cut]
        if before and self._reaches(before[-1].end, topic):
            return before[-1].action
        if after and _gap(self.spots.text, topic.end, after[0].start) <= _PASSIVE_GAP:
            return after[0].action
        if before or after:
            return None
        closed = self.spots.has("only") or self.spots.has("secret")
        return self.scene.action or ("see" if closed else None)

    def _reaches(self, verb_end: int, topic: TopicSpot) -> bool:
        """Whether the noun is near enough to the verb, directly or through a list of nouns."""
        if _gap(self.spots.text, verb_end, topic.start) <= _OBJECT_GAP:
            return True
        between = [one for one in self.spots.topics if verb_end <= one.start < topic.start]
        return bool(between) and (
            _gap(self.spots.text, between[-1].end, topic.start) <= _LIST_GAP
            and self._reaches(verb_end, between[-1])
        )

    def _is_own(self, topic: TopicSpot) -> bool:
        text = self.spots.text[max(0, topic.start - 40) : topic.start]
        if re.search(r"\b(?:own|self)\s+(?:\w+\s+(?:and\s+|or\s+)?){0,2}$", text):
            return True
        if "self assessment" in self.spots.text or "self-assessment" in self.spots.text:
            return topic.topic in {"skills", "profile"}
        if re.search(r"(?:they|you) earn\b|themselves$", self.spots.text[topic.start : topic.end]):
            return True
        general = all(one.who in {"employee", "everyone", "external"} for one in self._audience())
        if self._action_for(topic) == "see":
            return False
        return general and bool(re.search(r"\b(?:their|his or her|your|my)\s+(?:\w+\s+)?$", text))

    def _audience(self) -> tuple[Audience, ...]:
        return self.subjects() or self.scene.people

    def read(self) -> list[Reading]:
        topics = self.main_topics()
        if not topics and _REST.search(self.spots.text):
            return []
        topics = topics or self.scene.topics
        operations = self._operations(topics, own=True)
        excepted = self._excepted_operations()
        audience = self._audience()
        if self._needs_approval() and not self._named() and operations:
            writes = tuple(one for one in operations if one not in READS)
            return [Reading("deny", (_EVERYONE,), writes, (), ("not_ceo_approval",))] if writes else []
        if excepted and audience:
            return self._around(audience, operations, excepted)
        if not operations:
            return []
        if not audience:
            return self._unaddressed(topics, operations)
        return self._addressed(audience, operations)

    def _excepted_operations(self) -> tuple[Operation, ...]:
        inside = tuple(
            one for one in self.spots.topics if self.out_start <= one.start < max(self.out_end, self.cut)
        )
        people = [one for one in self.spots.people if self.out_start <= one.start < self.out_end]
        if self.out_start >= self.cut or people:
            return ()
        return self._operations(inside, own=True)

    def _around(
        self,
        audience: tuple[Audience, ...],
        operations: tuple[Operation, ...],
        excepted: tuple[Operation, ...],
    ) -> list[Reading]:
        """`nothing except X`, `everything except X`."""
        denied = "nothing" in self.spots.text or any(
            one.end <= self.out_start for one in self.spots.signs["negation"]
        )
        if denied:
            rest = operations or _other_reads(excepted)
            return [Reading("allow", audience, excepted), Reading("deny", audience, _minus(rest, excepted))]
        result = [Reading("deny", audience, excepted)]
        if left := _minus(operations, excepted):
            result.append(Reading("allow", audience, left))
        return result

    def _unaddressed(
        self, topics: tuple[TopicSpot, ...], operations: tuple[Operation, ...]
    ) -> list[Reading]:
        """Something is confidential, or is not to be done, whoever asks."""
        secret = self.spots.has("secret") or (self.spots.has("negation") and bool(self.spots.actions))
        if not secret or not any(one.topic in _SECRET_TOPICS for one in topics):
            return []
        reads = tuple(
            operation
            for one in topics
            if one.topic in _SECRET_TOPICS
            for operation in operations_for("see", one.topic)
            if operation in operations
        )
        return [Reading("deny", (_EVERYONE,), reads)] if reads else []

    def _addressed(
        self, audience: tuple[Audience, ...], operations: tuple[Operation, ...]
    ) -> list[Reading]:
        if not self._speaks_of_rights():
            return []
        strength = grant_strength(self.spots, self._named(), self.cut, self.scene.action)
        if any(one.who == "nobody" for one in audience):
            closed = [Reading("deny", (_EVERYONE,), operations)]
            return closed + self._exceptions("allow", operations)
        kind = self._only_kind()
        if kind == "objects":
            return [
                *self._plain("allow", audience, operations),
                Reading("deny", audience, _rest(operations)),
            ]
        if self.spots.has("negation") and kind != "people":
            if strength == "none":
                return []
            return self._plain("deny", audience, operations) + self._exceptions("allow", operations)
        if kind != "people" and not self.scene.exhaustive:
            operations = tuple(one for one in operations if _covers(strength, one))
        if not operations:
            return []
        other = "allow" if kind == "people" else "deny"
        result = self._plain("allow", audience, operations) + self._exceptions(other, operations)
        if kind == "people" or self.scene.exhaustive:
            wide = any(one.who in {"employee", "everyone"} for one in audience)
            shut = Audience(who="guest") if wide else _EVERYONE
            result.append(Reading("deny", (shut,), _closed(operations)))
        return result

    def _speaks_of_rights(self) -> bool:
        return bool(
            self.scene.action
            or self.spots.actions
            or self.spots.has("modal")
            or self.spots.has("negation")
            or self.spots.has("only")
        )

    def _only_kind(self) -> Literal["people", "objects", "none"]:
        """What an `only` singles out: people, what they may have, or merely a circumstance."""
        topics = [one.start for one in self.main_topics()]
        named = self._named()
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
            if before and not topic_before and topics:
                return "objects"
        return "none"

    def _of_status(self, start: int, end: int) -> bool:
        """`only in status draft`, `draft and no other`: it singles out a status, nobody."""
        if re.match(r"nobody|no one", self.spots.text[start:]):
            return False
        return bool(_STATUS.search(self.spots.text[max(0, start - 14) : end + 25]))

    def _exceptions(
        self, effect: Literal["allow", "deny"], operations: tuple[Operation, ...]
    ) -> list[Reading]:
        people = tuple(
            one.audience for one in self.spots.people if self.out_start <= one.start < self.out_end
        )
        if not people:
            return []
        return self._plain(effect, tuple(dict.fromkeys(people)), operations)

    def _plain(
        self,
        effect: Literal["allow", "deny"],
        audience: tuple[Audience, ...],
        operations: tuple[Operation, ...],
    ) -> list[Reading]:
        """One reading per kind of condition: times have statuses, people may mean themselves."""
        result = []
        for operation in operations:
            for part in self._groups(audience, effect, operation):
                who, target = self._themselves(effect, part, operation)
                statuses = self._statuses(operation, effect)
                needs = self._needs(effect, who, target)
                result.append(Reading(effect, who, (target,), statuses, needs))
                if needs == ("subject_in_team",) and _LEAD_OF_BOTH.search(self.spots.text):
                    result.append(Reading(effect, who, (target,), statuses))
        return _merged(result)

    def _groups(
        self, audience: tuple[Audience, ...], effect: str, operation: Operation
    ) -> tuple[tuple[Audience, ...], ...]:
        """Audiences apart whose permission has other conditions: leads, and people at large."""
        if effect == "deny":
            return (audience,)
        leads = tuple(one for one in audience if one.who == "project_lead")
        rest = tuple(one for one in audience if one.who != "project_lead")
        groups = (*_by_generality(rest, effect, operation), leads) if leads else (
            _by_generality(audience, effect, operation)
        )
        return tuple(one for one in groups if one)

    def _themselves(
        self, effect: str, audience: tuple[Audience, ...], operation: Operation
    ) -> tuple[tuple[Audience, ...], Operation]:
        """`Employees log their time`: each their own, unless others are named."""
        general = _GENERAL
        others = self.spots.has("others") or self.spots.has("team")
        if effect == "deny" or others or not all(one.who in general for one in audience):
            own_time = operation.startswith(("time.", "employee.profile")) and self._names_own()
            return ((_SELF,) if own_time and effect == "allow" else audience), operation
        if operation == "employee.note.write":
            return (), operation
        if operation in {"time.log", "time.update", "employee.profile.write"}:
            return (_SELF,), operation
        if operation == "time.entries" and self._names_own():
            return (_SELF,), operation
        if operation == "employee.skills.write":
            return audience, "self.skills.write"
        return audience, operation

    def _names_own(self) -> bool:
        return bool(re.search(r"\b(?:own|their|your)\s+(?:\w+\s+)?(?:time|hours|entr|profile|timesheet|record)",
                              self.spots.text))  # fmt: skip

    def _statuses(self, operation: Operation, effect: str) -> tuple[str, ...]:
        if operation not in {"time.log", "time.update"}:
            return ()
        if effect == "deny" and _AFTER_APPROVAL.search(self.spots.text):
            return ("approved", "invoiced")
        found = [one[1].rstrip("s") for one in _STATUS.finditer(self.spots.text)]
        if any(one.action == "submit" for one in self.spots.actions):
            found.append("submitted")
        if any(one.action == "approve" for one in self.spots.actions):
            found.append("approved")
        return tuple(dict.fromkeys(found))

    def _needs(self, effect: str, who: tuple[Audience, ...], operation: Operation) -> tuple[str, ...]:
        needs = []
        leads = any(one.who == "project_lead" for one in who)
        about_person = operation.startswith("employee.") and operation != "employee.directory"
        in_team = self.spots.has("team") or _LEAD_OF_BOTH.search(self.spots.text)
        if leads and (about_person or (in_team and operation.startswith("time."))):
            needs.append("subject_in_team")
        personal = operation.startswith(("time.", "employee.note", "employee.profile"))
        if effect == "deny" and self.spots.has("others") and personal:
            needs.append("not_self")
        if effect == "allow" and self.spots.has("others") and operation == "time.log":
            needs.append("not_self")
        if effect == "allow" and self._needs_approval() and operation not in READS:
            needs.append("ceo_approval")
        return tuple(needs)

    def _needs_approval(self) -> bool:
        tail = self.spots.text[self.cut :]
        return bool(tail) and bool(_CHIEF.search(self.spots.text)) and self.spots.has("approval")


def _by_generality(
    audience: tuple[Audience, ...], effect: str, operation: Operation
) -> tuple[tuple[Audience, ...], ...]:
    """People at large and particular people apart, where a change would mean different things."""
    general = tuple(one for one in audience if one.who in _GENERAL)
    particular = tuple(one for one in audience if one.who not in _GENERAL)
    if effect == "deny" or operation in READS or not general or not particular:
        return (audience,)
    return general, particular


def _covers(strength: Strength, operation: Operation) -> bool:
    return strength == "explicit" or strength == ("sight" if operation in READS else "duty")


def _gap(text: str, start: int, end: int) -> int:
    """Words between two places."""
    return len(re.findall(r"[\w&']+", text[start:end]))


def _merged(readings: list[Reading]) -> list[Reading]:
    groups: dict[tuple[object, ...], Reading] = {}
    for one in readings:
        key = (one.effect, one.audience, one.statuses, one.needs)
        known = groups.get(key)
        groups[key] = replace(one, operations=known.operations + one.operations) if known else one
    return list(groups.values())


def _minus(operations: tuple[Operation, ...], taken: tuple[Operation, ...]) -> tuple[Operation, ...]:
    return tuple(one for one in operations if one not in taken)


def _other_reads(taken: tuple[Operation, ...]) -> tuple[Operation, ...]:
    reads: tuple[ReadOperation, ...] = get_args(ReadOperation)
    return tuple(one for one in reads if one not in taken)


def _rest(operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    """What `may only see these` denies: the other reads, or the same about other people."""
    twins = {twin: operation for operation, twin in OWN_TWIN.items()}
    if any(one in twins for one in operations):
        return tuple(twins[one] for one in operations if one in twins)
    return tuple(one for one in _other_reads(operations) if not one.startswith(("self.", "public.")))


def _closed(operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    return tuple(one for one in operations if not one.startswith("self."))

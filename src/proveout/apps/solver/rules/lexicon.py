"""Synonyms: the words in which a wiki may speak of people, data and actions.

Patterns are for folded text (see `text`); a space stands for any space or hyphen. They are language
knowledge, not knowledge of any company: names of departments come from the wiki and the registry.
"""

from collections.abc import Mapping
from typing import Literal

from proveout.apps.solver.words import Operation

Topic = Literal[
    "salary", "notes", "workload", "contact", "time", "skills", "profile", "place", "status",
    "team",
    "project", "customer", "wiki", "directory", "sites", "date", "company", "self",
]  # fmt: skip
Action = Literal["see", "change", "log", "submit", "approve", "delete", "rename"]

FUNCTIONS: Mapping[str, str] = {
    "hr": r"hr|human resources|people (?:team|operations|ops|and culture|& culture|office"
    "|department"
    r"|function)|personnel|talent team",
    "leadership": r"(?:corporate |company |executive |senior |top |group )?leadership(?: team)?"
    r"|(?:executive |management |company )?board(?: members?)?|executive (?:team|office|committee"
    r"|staff)"
    r"|executives?|(?:top )?execs?|(?:top|senior|upper|executive|company) managements?"
    r"|(?:top|senior) managers|c (?:suite|level)|directorate|management (?:team|board)|directors",
    "external": r"external (?:staff|people|employees|workers|personnel|colleagues"
    r"|collaborators|consultants|contractors|partners|users|accounts)|contractors?|freelancers?"
    r"|freelance (?:staff|workers|pool|network)|temps|temporary (?:staff|workers)"
    r"|agency (?:staff|workers)"
    r"|outside (?:staff|help|contractors)|contingent (?:staff|workers)|subcontractors|externals?",
    "finance": r"finance|accounting|controlling|controllers|treasury|finance and administration",
    "it": r"it|information technology|ict|digital",
    "sales": r"sales|commercial|customer success|account management",
    "legal": r"legal|compliance",
    "marketing": r"marketing|communications",
    "research": r"r&d|research|research and development|engineering|development|labs?|technology",
    "operations": r"operations|production|manufacturing",
    "logistics": r"logistics|supply chain|warehousing|fleet",
    "quality": r"quality|hse|qa",
    "support": r"support|customer service|service desk|facilities|procurement|purchasing|design",
}
"""What departments do, in everyday words: "the people team" finds the registry's name for it."""

_MEMBERS_OF = (
    r"(?:(?:all |any )?(?:members?|staff|people|colleagues|employees|anyone|someone|somebody|those"
    r"|everyone|persons?) (?:of|in|from|at|on|within) (?:the )?)?"
)
_TEAM_WORD = (
    r"(?: (?:department|team|staff|division|function|unit|group|people|office|colleagues))?"
)

PEOPLE: tuple[tuple[str, str], ...] = (
    ("nobody", r"nobody|no one|no employees?|no person|no staff|no user"),
    ("guest", r"(?:guests?|visitors?)(?: (?:who (?:is|are) not (?:signed|logged) in"
     r"|without (?:an account|a login)))?|the (?:general )?public|public (?:users?|visitors?"
     r"|callers?|askers?"
     r"|requesters?|chat(?:bot)?)|anonymous (?:users?|visitors?|callers?|people)|outsiders?"
     r"|people outside the company|strangers|(?:callers|users|people|anyone|requesters|visitors) "
     r"(?:who (?:is|are) )?(?:not (?:signed|logged) in|without (?:a login|an account|signing in))"
     r"|unauthenticated (?:users?|callers?|visitors?|people)"),
    ("self", r"oneself|the (?:person|employee|individual|people|employees) (?:concerned|themselves"
     r"|themself|themselves|himself|herself|in question|it concerns|they belong to|affected)"
     r"|the persons? (?:concerned|themselves)|the (?:person|employee)s? whose (?:entry|profile"
     r"|data|record|hours) (?:it|they) (?:is|are)|(?:the )?(?:data )?subjects?"
     r"|the (?:owner|author|holder) of the (?:entry|entries|profile|record)|(?:its|their|the) "
     r"(?:author|owner)(?: alone| themselves)?|whom (?:it|they) concerns?"),
    ("project_lead", r"(?:the |a )?projects? ?'s leads?(?:er)?s?|(?:the |a |any |all |their "
     r"|its )*(?:respective |responsible |own )?(?:project |team )"
     r"(?:lead|leader|manager|owner)s?(?: of (?:the|that|a|this|their) (?:respective )?projects?)?"
     r"|(?:the |a |its |their )leads?(?: of (?:the|that|a|this|their) (?:respective )?(?:projects?"
     r"|teams?))?"
     r"|whoever leads (?:the|that|a) projects?(?: for (?:the|that) customers?(?: in question)?)?"
     r"|(?:the |a )leads? of a project (?:for that customer|that the person works on)"
     r"|leads(?: of (?:the|that|a|this|their) (?:respective )?(?:projects?|teams?))?"
     r"|leaders? of (?:the|that|a) project|whoever leads (?:the|that|a) project"
     r"|(?:the )?(?:person|people|one|those|employees?) (?:who )?(?:leads?|leading|in the lead)"
     r"(?: role)?(?: of)?(?: (?:the|that|a) project)?"),
    ("account_manager", r"(?:the |a |its |their )*(?:responsible |assigned )?(?:account|customer"
     r"|key account|relationship) (?:manager|owner|executive)s?"
     r"|whoever (?:manages|looks after) (?:the|that|an?) (?:customer|client|account)"),
    ("page_owner", r"(?:the |its |their |these |section |page |content |each )*(?:content |page "
     r"|section |wiki |article )owners?|owners of (?:the|a|that) (?:page|section|article)"
     r"|owning (?:department|team)s?|(?:the )?department owning (?:it|them|the page|a page)"
     r"|(?:the )?department that (?:owns|looks after|maintains) "
     r"(?:(?:the|a|that|its) (?:page|section|article)|it|them|these|those)"),
    ("project_member", r"(?:the |all |a |any |ordinary |plain |other |regular |project )*"
     r"(?:team|project) members?(?: of (?:the|that|a) project)?|members? of (?:the|that|a|its) "
     r"(?:project|team)(?: team)?|people on (?:the|that|a) (?:project|team)"
     r"|(?:everyone|anyone|those) (?:working )?on (?:the|that|a) (?:project|team)"),
    ("manager", r"(?:line |direct |people )?managers?|supervisors?|superiors?|department heads?"
     r"|heads of department"),
    ("chief", r"(?:the )?(?:ceo|chief executive(?: officer)?|managing director)"),
    ("everyone", r"(?:everyone|everybody|anyone|anybody) else|all others|everyone|everybody"
     r"|anyone|anybody|all users|any user|all people|whoever asks"),
    ("employee", r"(?:all |every |any |each |our |internal |permanent |regular |own |ordinary "
     r"|other "
     r"|signed in |the rest of the )*(?:employees?|staff|colleagues?|coworkers?|co workers?"
     r"|workforce|personnel members?|members of staff|staff members?|people who work here|insiders"
     r"|users? with an account|(?:whole |entire )company)(?: members?)?"
     r"|you(?= (?:may|can|must|cannot|should|are (?:not )?allowed))"
     r"|people(?= (?:may|can|must|keep|log|update|maintain|record|enter|book"
     r"|are (?:free|allowed)))"),
)  # fmt: skip
"""Audiences that are not departments, most particular first."""

TOPICS: tuple[tuple[Topic, str], ...] = (
    ("self", r"(?:their|your|his or her|one's) own (?:data|information|details|files?)"),
    ("salary", r"salar(?:y|ies)|what (?:somebody|someone|they|you|people|anyone|others?"
     r"|colleagues|a colleague)"
     r"(?: else)? earns?(?: themselves)?|who earns (?:what|how much)|how much (?:somebody|someone"
     r"|people|anyone|others?|colleagues|an? (?:employee|person|colleague))(?: else)? (?:earns?"
     r"|makes?|gets?|(?:is|are) paid)|pay(?: rises?| raises?| increases?| data| details"
     r"| information| figures?| levels?"
     r"| slips?)?|wages?"
     r"|compensations?|remunerations?|earnings|pay ?rolls?|pay ?checks?"
     ),
    ("contact", r"(?:primary |main |external |client |customer |customers?' ?s? )*contacts?"
     r"(?: (?:persons?|people|details?|data|information|names?|e ?mails?|partners?|addresses))?"
     r"(?: (?:of|at|for) (?:the |an? |our )?(?:customers?|clients?|companies|company))?"),
    ("notes", r"(?:free ?text |personal |internal |personnel |hr |confidential |employee )*"
     r"(?:notes|remarks|annotations|note fields?)(?: fields?)?(?: (?:that are )?kept)?(?: (?:on|of"
     r"|in|into) (?:an? |the |other )?"
     r"(?:people|persons?|employees?|profiles?|personnel records?|employee records?|time entr(?:y"
     r"|ies)|entr(?:y|ies)))?"),
    ("workload", r"work ?loads?|utili[sz]ations?|capacit(?:y|ies)|how busy(?: (?:somebody|someone"
     r"|people|anyone|others?|a colleague)(?: else)?(?: (?:is|are))?)?|busyness|fte (?:figures?"
     r"|totals?|sums?|loads?)|(?:planned |total )(?:allocations?|load)|who is (?:busy|overloaded)"),
    ("time", r"time (?:entr(?:y|ies)|sheets?|records?|logs?|tracking(?: entries| data)?"
     r"|registrations?"
     r"|bookings?|summar(?:y|ies)|reports?|data|totals?)|timesheets?|(?:logged |booked |recorded "
     r"|working )?hours|(?:logged|booked|recorded) time|entr(?:y|ies)|time"),
    ("skills", r"skills?(?: (?:and|&|or|/) wills?)?(?: (?:profiles?|levels?|ratings?|data"
     r"|information|lists?))?|wills|self assessments?|skill profiles?|skill and will ratings?"
     r"|competenc(?:e|es|ies|y)"
     r"|proficienc(?:y|ies)|aspirations"),
    ("status", r"(?:project |the |its )*(?:status(?:es)?|phases?|stages?)(?: of (?:a|the|that|their"
     r"|any|each) (?:own )?projects?)?"),
    ("team", r"(?:project )?(?:team|staffing|line ?up)s?(?: (?:composition|lists?|structures?"
     r"|assignments?|allocations?|changes?|roles?))?(?: of (?:a|the|that|their|any) (?:own )?"
     r"projects?)?|time slices?|allocations|assignments|rosters?|people on(?:to)? (?:an?|the)"
     r" projects?|who (?:works|is) (?:on|in) (?:a"
     r"|the|what|them)(?: (?:project|team)s?)?"
     r"(?: and with which time slices?)?"),
    ("wiki", r"(?:internal |the )*(?:wiki|knowledge base)(?: (?:pages?|articles?|content))?|pages?"
     r"|articles?|documentation|internal (?:processes|procedures|guidelines|documents)"),
    ("place", r"(?:the |an? )*(?:employee's )?(?:locations?|departments?) (?:or"
     r"|and) (?:departments?|locations?)(?: (?:in|of) (?:an?|the) "
     r"(?:profiles?|employees?|records?|person))?|where (?:somebody|someone|people"
     r"|an employee) works?(?: and for which department)?"
     r"|(?:people|persons?|employees?|colleagues|staff|somebody|someone|anyone) (?:in the "
     r"(?:employee )?registry|(?:between|across) (?:departments|locations|sites|offices)"
     r"|to (?:another|a new|other) (?:departments?|locations?|sites?|offices?))"),
    ("profile", r"(?:full |complete |personal |employee |staff |hr |master |their |registry )*"
     r"(?:profiles?|records?|master data|personal data|employee (?:data|info(?:rmation)?|details))"
     r"|personnel (?:records?|files?)|home department|employee info(?:rmation)?"),
    ("sites", r"(?:our |its |the |company |list of )*(?:sites?|office locations?|offices|branches"
     r"|locations|addresses|premises)|where (?:we|the company|our (?:sites|offices)) (?:are|is"
     r"|operates?|have offices)"
     r"(?: located)?|list of sites"),
    ("date", r"(?:today'? ?s |the |current |calendar )*date|date of today|what day it is"
     r"|the day of the week"),
    ("company", r"(?:the |our |company'? ?s )*(?:company|firm|brand|legal) name"
     r"|name of the (?:company"
     r"|firm|business)|what (?:we|it|the company) (?:do|does|is called)|who we are|our business"),
    ("project", r"(?:customer |client |internal |the )*projects?(?: (?:registry|data|details"
     r"|information|names?|lists?|descriptions?|portfolios?))?"),
    ("customer", r"(?:customer|client|crm|account)s?(?: (?:data|records?|details|information|lists?"
     r"|names?|companies|files|relationships))?|deals?(?: phases?)?|companies"),
    ("directory", r"(?:employee |staff |basic |work |e ?mail )*(?:director(?:y|ies)|names?"
     r"|e ?mails?"
     r"(?: address(?:es)?)?|phone numbers?|departments?|basic roles?|job titles?|colleagues'? data"
     r"|people'? ?s? data|who works (?:here|where))|employee registry"),
)  # fmt: skip

ACTIONS: tuple[tuple[Action, str], ...] = (
    ("rename", r"renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|transfer(?:s|red|ring)?|relocat(?:e|es|ed"
     r"|ing)"),
    ("delete", r"delet(?:e|es|ed|ing|ion)|remov(?:e|es|ed|ing|al)|wip(?:e|es|ed|ing)|eras(?:e|ed"
     r"|ing)"),
    ("submit", r"submit(?:s|ted|ting)?|submission|hand(?:s|ed)? in|sen[dt] in"),
    ("approve", r"approv(?:e|es|ing)|be approved|invoic(?:e|es|ing)"),
    ("log", r"log(?:s|ged|ging)?|book(?:s|ed|ing)?|record(?:s|ed|ing)?|enter(?:s|ed|ing)?"
     r"|regist(?:er|ers|ered|ering)|creat(?:e|es|ed|ing)|fill(?:s|ed)? in|track(?:s|ed|ing)?"),
    ("change", r"chang(?:e|es|ed|ing)|updat(?:e|es|ed|ing)|edit(?:s|ed|ing)?|modif(?:y|ies|ied"
     r"|ying)"
     r"|alter(?:s|ed|ing)?|adjust(?:s|ed|ing|ments?)?|set(?:s|ting)?|amend(?:s|ed|ing)?"
     r"|maintain(?:s|ed|ing)?|revis(?:e|es|ed|ing)|writ(?:e|es|ten|ing)"
     r"|rewrit(?:e|es|ten|ing)|overwrit(?:e|es|ten|ing)|(?:keep(?:s|ing)?"
     r"|kept)(?=.{0,40}up.to.date)"
     r"|manag(?:e|es|ed|ing)|control(?:s|led|ling)?|add(?:s|ed|ing)?|touch(?:es|ed)?"
     r"|re ?staff(?:s|ed|ing)?|re ?assign(?:s|ed|ing)?|swap(?:s|ped|ping)?|rearrang(?:e|es|ed|ing)"
     r"|decid(?:e|es|ed) (?:on|about)|rais(?:e|es|ed|ing)|apply|applies|applied|pause[sd]?"
     r"|void(?:s|ed|ing)?|correct(?=\s+(?:a|an|the|time|it|them|entries|own|their|your)\b)"
     r"|correcting|maintenance"
     r"|author(?:s|ed|ing)?|publish(?:es|ed|ing)?|cop(?:y|ies)"
     r"|rat(?:e|es|ed|ing)(?= (?:the |their |a )?(?:skills?|wills?|abilit))|assess(?:es|ed|ing)?"
     r"|put(?:s|ting)?(?= (?:people|somebody|someone|employees|colleagues))"
     r"|put together|compos(?:e|es|ed)|assembl(?:e|es|ed)"
     r"|full control|assign(?:s|ing)?|responsible for"),
    ("see", r"see(?:s|n|ing)?|view(?:s|ed|ing|able)?|read(?:s|ing|able)?|access(?:es|ed|ible|ing)?"
     r"|look(?:s|ed|ing)? (?:at|up|into)|know(?:s|n)?|learn(?:s|ed)?|visible|visibility|shown?"
     r"|shows"
     r"|disclos(?:e|es|ed|ing|ure)|reveal(?:s|ed|ing)?|told|tell(?:s|ing)?|shar(?:e|es|ed|ing)"
     r"|quer(?:y|ies|ied|ying)|ask(?:s|ed|ing)? (?:for|about)|inspect(?:s|ed|ing)?|open to|(?:are"
     r"|is) public"
     r"|available to|consult(?:s|ed|ing)?|retriev(?:e|es|ed|ing)|giv(?:e|es|en|ing) out"
     r"|given(?: out)?|answer(?:s|ed|ing)?|receiv(?:e|es|ed|ing)|get(?:s|ting)?|hear(?:s|d)?"
     r"|find out|obtain(?:s|ed)?|use(?:s|d)?|handed out|list(?:s|ed|ing)?|passed on|privy to"
     r"|request(?:s|ed|ing)?|brows(?:e|es|ed|ing)|pull(?:s|ed|ing)? up|discuss(?:es|ed)?"
     r"|search(?:es)?"),
)  # fmt: skip

NEGATION = (
    r"not|cannot|can't|mustn't|don't|doesn't|isn't|aren't|won't|never|neither|nor|no access"
    r"|no insight|forbidden|prohibited|refused|barred|off limits|out of bounds|blocked from"
    r"|no right|no rights|no permission|excluded from|denied|no say|hidden from|withheld from"
    r"|kept from|nothing about|without access|no business|closed to|unavailable to|stays? hidden"
    r"|remains? (?:hidden|closed)|nothing on"
)
CONFIDENTIAL = r"confidential|secret|strictly private|private|not public|restricted|sensitive"
ONLY = (
    r"only|solely|exclusively|reserved (?:for|to)|restricted to|limited to|confined to|nobody else"
    r"|no one else|and no others?|alone|the sole|sole|nothing but|nothing (?:more|else|beyond)"
    r"|is up to|privilege of|prerogative of"
)
EXCEPTION = (
    r"except(?:ing)?(?: for)?|other than|apart from|aside from|unless|save for"
    r"|with the exception of|but not|excluding|not including|minus|bar"
)
MODAL = (
    r"may|can|could|must|shall|should|will|are allowed to|is allowed to|allowed to|permitted to"
    r"|entitled to|authori[sz]ed to|able to|free to|has|have|need(?:s)? to|ought to|encouraged to"
    r"|expected to|are|is|be"
)
OTHERS = (
    r"(?:for|of|about|by|on behalf of) (?:the |their |any |all )*(?:other|another|someone else"
    r"|somebody"
    r" else|anyone else|anybody else|others|colleagues?|else|coworkers|co workers)|for others?|for "
    r"someone else|somebody else|other (?:people|employees|colleagues|persons)(?:'s?)?|others'?"
    r"|someone else(?:'s)?|(?:other|another) (?:employee|person|colleague|people)'?s?"
    r"|colleagues'|on behalf of|anyone else(?:'s)?|everyone else(?:'s)?"
)
OWN = r"own|their self|themselves|yourself|oneself|one's own|self assessment|your"
NO_SIGHT = (
    r"no (?:access|insight|view|sight)|barred from|excluded from|hidden(?: from)?|withheld from"
    r"|kept from|nothing (?:about|on)|without access|closed to|unavailable to|off limits"
    r"|out of bounds"
)
"""Negations that say without a verb what is not to be seen."""
IN_TEAM = (
    r"(?:for|of|to|by|about|on behalf of) (?:the |their |any |all |his |her |its |own |other |a )*"
    r"(?:project |team )?(?:team ?)?(?:members?|mates?|teams?|crew)(?: members?)?"
    r"|team members'|members of their (?:own )?(?:project )?teams?|(?:people|those|anyone"
    r"|employees) "
    r"(?:on|in) their (?:own )?(?:teams?|projects?)|their (?:own )?(?:people|team(?: members?)?)"
)
APPROVAL = (
    r"approv(?:al|als|ed|es)|sign ?off|signed off|consent|go ahead|agreement|agreed|green light"
)
ENTRY_STATUS = r"draft|submitted|approved|invoiced|voided"
PHASE = r"ideas?|exploring|exploration|active|paused|archived"

SIGHT: Mapping[Topic, tuple[Operation, ...]] = {
    "salary": ("employee.salary",),
    "notes": ("employee.notes",),
    "workload": ("employee.workload",),
    "contact": ("customer.contact",),
    "time": ("time.entries",),
    "skills": ("employee.skills",),
    "profile": ("employee.skills",),
    "place": ("employee.directory",),
    "project": ("project.directory", "project.team"),
    "team": ("project.team",),
    "status": ("project.directory",),
    "customer": ("customer.directory", "customer.contact"),
    "wiki": ("wiki.read",),
    "directory": ("employee.directory",),
    "self": ("self.profile", "self.salary"),
    "sites": ("public.sites",),
    "date": ("public.date",),
    "company": ("public.company",),
}
CHANGE: Mapping[Topic, tuple[Operation, ...]] = {
    "salary": ("employee.salary.write",),
    "notes": ("employee.note.write",),
    "skills": ("employee.skills.write",),
    "place": ("employee.profile.write",),
    "profile": ("employee.profile.write", "employee.skills.write", "employee.note.write"),
    "status": ("project.status.write",),
    "team": ("project.team.write",),
    "project": ("project.status.write", "project.team.write"),
    "time": ("time.update",),
    "wiki": ("wiki.write",),
}
LOG: Mapping[Topic, tuple[Operation, ...]] = {"time": ("time.log",), "workload": ("time.log",)}
OWN_TWIN: Mapping[Operation, Operation] = {
    "employee.salary": "self.salary",
    "employee.skills": "self.profile",
    "employee.workload": "self.profile",
    "employee.directory": "self.profile",
    "employee.skills.write": "self.skills.write",
}
"""The same about oneself."""


def members_of(pattern: str) -> str:
    return rf"{_MEMBERS_OF}(?:the )?(?:{pattern}){_TEAM_WORD}"


def operations_for(action: Action, topic: Topic) -> tuple[Operation, ...]:
    """What doing that to this is called; nothing where it is no operation at all."""
    if action == "see":
        return SIGHT.get(topic, ())
    if action in {"log", "submit", "approve"} and topic in LOG:
        return LOG[topic]
    if action == "log":
        return CHANGE.get(topic, ()) if topic in {"notes", "wiki"} else ()
    if action in {"delete", "rename"}:
        # Pages are moved, people from one place to another, projects from one status to another.
        moved = topic == "wiki" or (topic in {"place", "status"} and action == "rename")
        return CHANGE[topic] if moved else ()
    return CHANGE.get(topic, ())

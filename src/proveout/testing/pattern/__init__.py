"""A complete small app: find a word that a regular expression accepts.

It proves the kernel in the tests, answers `proveout demo`, and is the worked example of the guide
"your own app in one folder". It goes through every feature: two roles, a parallel round, a nested
loop with a budget of its own, observed evidence, lessons and panels.
"""

from proveout.kernel.app import App
from proveout.kernel.lessons import LessonRule

APP = App(
    name="pattern",
    summary="Finds a word that a regular expression accepts (the worked example).",
    task="proveout.testing.pattern.task:PatternTask",
    flow="proveout.testing.pattern.flow:run",
    roles="proveout.testing.pattern.roles:ROLES",
    panels="proveout.testing.pattern.panels:panels",
    prompts="proveout.testing.pattern.prompts",
    findings={
        "pattern.no_match": "The expression does not accept the word.",
        "pattern.too_short": "The word has fewer letters than wanted.",
        "pattern.too_long": "The word has more letters than allowed.",
        "pattern.dull": "The word uses fewer different letters than wanted.",
    },
    lessons={
        "pattern.too_*": LessonRule(topic="response_contract", slot="length"),
        "pattern.*": LessonRule(topic="response_contract"),
    },
    demo="proveout.testing.pattern.task:demo",
    example="--expression '[a-f]+[0-9]{2}' --shortest 9 --variety 5",
)

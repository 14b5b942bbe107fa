"""The prompts as models get them: a change of words is a visible change here."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from proveout.kernel.errors import UsageError
from proveout.kernel.lessons import Lesson
from proveout.kernel.types import Finding
from proveout.runtime import prompt_folder
from proveout.testing.pattern.proposals import Word
from proveout.testing.pattern.roles import DESCRIBE, PROPOSE


def rendered(role: Any, **variables: Any) -> str:
    text: str = prompt_folder().render(role.name, {**role.examples, **variables}, role.schema).text
    return text


def test_describe() -> None:
    assert rendered(DESCRIBE) == snapshot("""\
Say in one short sentence, for a reader who does not know regular expressions, what this one
accepts:

```text
[a-f]+[0-9]{2}
```
""")


def test_propose() -> None:
    assert rendered(PROPOSE) == snapshot("""\
Write a word that this regular expression (Python syntax) accepts as a whole:

```text
[a-f]+[0-9]{2}
```

The word must have at least 6 and at most 40 letters, and use at least
1 different ones. Style: plain.

Reply with one JSON value that is valid under this JSON schema, and nothing else:

```json
{
  "additionalProperties": false,
  "description": "A word that the expression should accept.",
  "properties": {
    "word": {
      "maxLength": 200,
      "title": "Word",
      "type": "string"
    },
    "reason": {
      "default": "",
      "maxLength": 500,
      "title": "Reason",
      "type": "string"
    }
  },
  "required": [
    "word"
  ],
  "title": "Word",
  "type": "object"
}
```
""")


def test_propose_after_a_rejection_with_lessons() -> None:
    findings = (
        Finding(
            code="pattern.no_match",
            message="'xab' is accepted up to letter 0 of 3.",
            where="letter 0",
            hint="Build it piece by piece.",
        ),
        Finding(code="pattern.dull", message="3 different letters; 5 wanted"),
    )
    lesson = Lesson(
        signature="sha256:0",
        kind="rule",
        topic="response_contract",
        subject="pattern.too_short",
        advice="Repeat what may repeat until the word is long enough.",
        count=4,
        patches=("sha256:0",),
    )
    text = rendered(PROPOSE, findings=findings, previous=Word(word="xab"), lessons=(lesson,))
    assert text.partition("Reply with one JSON value")[0] == snapshot("""\
Write a word that this regular expression (Python syntax) accepts as a whole:

```text
[a-f]+[0-9]{2}
```

The word must have at least 6 and at most 40 letters, and use at least
1 different ones. Style: plain.

## Why your previous proposal was rejected

- `pattern.no_match` at letter 0: 'xab' is accepted up to letter 0 of 3.. Build it piece by piece.
- `pattern.dull`: 3 different letters; 5 wanted.

Your previous proposal was:

```json
{
  "reason": "",
  "word": "xab"
}
```

## What earlier attempts taught

- Repeat what may repeat until the word is long enough. (`pattern.too_short`, seen 4 times)

""")


def test_the_schema_is_appended_and_nothing_else_is_added_for_free_text() -> None:
    assert "JSON" not in rendered(DESCRIBE)
    assert rendered(PROPOSE).rstrip().endswith("```")


def test_text_of_a_task_is_not_a_template() -> None:
    """What a task says is data: braces in it are sent as they are."""
    text = rendered(DESCRIBE, expression="{{ 7 * 7 }}{% include '_lessons' %}")
    assert "{{ 7 * 7 }}{% include '_lessons' %}" in text


def test_a_variable_that_nobody_gave_is_an_error() -> None:
    others = {name: value for name, value in PROPOSE.examples.items() if name != "style"}
    with pytest.raises(UsageError, match="'style' is undefined"):
        prompt_folder().render(PROPOSE.name, others, None)

"""What every source of prompts promises.

Subclass `PromptsContract`, give the prompts and a role of theirs with its example variables.
"""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import JsonValue

from proveout.kernel.errors import UsageError
from proveout.kernel.ports import Prompts

SCHEMA: Mapping[str, JsonValue] = {"type": "object", "properties": {"ü": {"type": "string"}}}


class PromptsContract:
    """Seven promises."""

    role: str
    variables: Mapping[str, Any]
    """Every variable that the role's prompt uses, at least one of them a text."""

    def prompts(self) -> Prompts:
        raise NotImplementedError

    def text(
        self,
        schema: Mapping[str, JsonValue] | None = None,
        changes: Mapping[str, Any] | None = None,
    ) -> str:
        variables = {**self.variables, **(changes or {})}
        return self.prompts().render(self.role, variables, schema).text

    def one_text(self) -> str:
        return next(name for name, value in self.variables.items() if isinstance(value, str))

    def test_the_same_variables_give_the_same_text(self) -> None:
        first = self.prompts().render(self.role, self.variables, SCHEMA)
        assert self.prompts().render(self.role, self.variables, SCHEMA) == first
        assert first.text.strip()

    def test_the_template_has_a_name_that_variables_do_not_change(self) -> None:
        plain = self.prompts().render(self.role, self.variables, None)
        other = self.prompts().render(self.role, {**self.variables, self.one_text(): "x"}, SCHEMA)
        assert plain.template_id == other.template_id
        assert plain.template_id.startswith("sha256:")

    def test_a_missing_variable_is_an_error(self) -> None:
        fewer = {name: self.variables[name] for name in self.variables if name != self.one_text()}
        with pytest.raises(UsageError, match=self.one_text()):
            self.prompts().render(self.role, fewer, None)

    def test_the_schema_is_appended(self) -> None:
        text = self.text(SCHEMA)
        assert text.startswith(self.text().strip())
        spelled = text.rpartition("```json\n")[2].removesuffix("\n```\n")
        assert json.loads(spelled) == SCHEMA

    def test_free_text_has_no_schema(self) -> None:
        assert "JSON schema" not in self.text()

    def test_what_a_variable_says_is_never_a_template(self) -> None:
        hostile = "{{ 7 * 6 }} {% include '_lessons' %} {# hidden #} <b>&amp;</b>"
        assert hostile in self.text(changes={self.one_text(): hostile})

    @pytest.mark.parametrize("role", ["", "no", "no/such", "/", "../x", "no/../../x"])
    def test_an_unknown_role_is_an_error(self, role: str) -> None:
        with pytest.raises(UsageError, match="unknown prompt"):
            self.prompts().render(role, self.variables, None)

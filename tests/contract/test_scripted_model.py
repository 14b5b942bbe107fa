"""`scripted` keeps the promises of a model in front of a provider of any conduct."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager

from proveout.adapters.models.scripted import ScriptedModel, ScriptedReply
from proveout.kernel.ports import Model
from proveout.testing.model_contract import Conduct, ModelContract, Provider


def scripted(provider: Provider) -> ScriptedReply:
    """A reply as a provider of this conduct would give it."""
    replies: dict[Conduct, ScriptedReply] = {
        "value": ScriptedReply(value=provider.value),
        "text": ScriptedReply(text=provider.text),
        "garbage": ScriptedReply(text=provider.text),
        "truncated": ScriptedReply(text='{"word": "aa', stop="length"),
        "empty": ScriptedReply(),
        "oversized": ScriptedReply(text="x" * 10_000_000),
        "refusal": ScriptedReply(text="I would rather not.", stop="refusal"),
        "rate_limited": ScriptedReply(error="busy", retry_after=7),
        "overloaded": ScriptedReply(error="busy"),
        "stalling": ScriptedReply(value=provider.value, delay_seconds=3600),
        "denied": ScriptedReply(error="refused"),
        "broken": ScriptedReply(error="busy"),
    }
    return replies[provider.conduct]


class TestScriptedModel(ModelContract):
    meets = frozenset(Conduct.__args__)  # type: ignore[attr-defined]
    sees_pictures = True

    @contextmanager
    def backend(self, provider: Provider) -> Iterator[Model]:
        model = ScriptedModel([scripted(provider)])
        try:
            yield model
        finally:
            model.close()
            for asked in model.calls:
                pictures = [base64.b64encode(picture.content) for picture in asked.pictures]
                provider.seen.append({"prompt": asked.prompt, "pictures": pictures})
                provider.keys.append(asked.key)

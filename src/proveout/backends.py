"""The models of a workspace: which one a role asks, each opened once, when it is first needed."""

import threading
from pathlib import Path

from proveout import settings as configuration
from proveout.adapters.models.catalogue import UNRECORDABLE, ModelOptions, open_model
from proveout.adapters.models.prices import Price
from proveout.kernel.app import App
from proveout.kernel.context import ASKERS
from proveout.kernel.errors import UnknownName, UsageError
from proveout.kernel.ports import Model
from proveout.settings import ModelSettings


class Backends:
    """Safe for many threads; close it to release clients and processes."""

    def __init__(self, chosen: ModelSettings) -> None:
        self.chosen = chosen
        self._opened: dict[str, Model] = {}
        self._lock = threading.Lock()

    def of_role(self, role: str) -> Model:
        return self.of_name(self._spec(role))

    def of_name(self, spec: str) -> Model:
        """The model of that name, opened once."""
        with self._lock:
            if spec not in self._opened:
                self._opened[spec] = open_model(spec, self._options(spec))
            return self._opened[spec]

    @property
    def askers(self) -> int:
        """Questions in flight at once: one where experts answer all of them."""
        by_rule = {self.chosen.name, *self.chosen.roles.values()} == {"offline"}
        return 1 if by_rule else ASKERS

    def open_all(self, app: App) -> None:
        """A model that cannot be opened must not leave a run behind."""
        names = [role.name for role in app.load(app.roles)] if app.roles else []
        for named in self.chosen.roles:
            if named.startswith(f"{app.name}/") and named not in names:
                raise UnknownName(named, noun="role in model.roles:", known=names)
        if self.chosen.record and not any(_recordable(self._spec(name)) for name in names):
            message = f"{self.chosen.name} has nothing to record"
            hint = "record a model that is asked: --model NAME --record FILE"
            raise UsageError(message, hint=hint)
        for name in names:
            self.of_role(name)

    def close(self) -> None:
        for model in self._opened.values():
            model.close()

    def _spec(self, role: str) -> str:
        """The role's own model, else its app's, else the run's."""
        named = self.chosen.roles
        return named.get(role) or named.get(role.partition("/")[0]) or self.chosen.name

    def _options(self, spec: str) -> ModelOptions:
        chosen = self.chosen
        # One role may be offline while another is recorded.
        record = chosen.record if _recordable(spec) else ""
        return ModelOptions(
            record=Path(record) if record else None,
            secrets=configuration.secrets(),
            base_url=chosen.base_url or None,
            concurrency=chosen.concurrency,
            local_model=Path(chosen.local_model) if chosen.local_model else None,
            prices={
                name: Price(input=pair[0], output=pair[1]) for name, pair in chosen.prices.items()
            },
        )


def _recordable(spec: str) -> bool:
    return spec.partition(":")[0] not in UNRECORDABLE

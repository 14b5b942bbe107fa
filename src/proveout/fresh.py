"""A context outside of any run: journal in memory, model of the settings, bounded budget."""

import threading

import proveout
from proveout import apps
from proveout.adapters.clock import SystemClock
from proveout.adapters.engine.local import InlineEngine
from proveout.adapters.experience import NoExperience
from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.backends import Backends
from proveout.kernel.budget import Elapsed, Meter
from proveout.kernel.context import Context, Ports
from proveout.kernel.events import RunStarted
from proveout.kernel.record import LiveRecord
from proveout.runtime import SandboxDoor, prompt_folder
from proveout.settings import load, secrets

MOST_ROUNDS = 1_000_000


def fresh_context(app: str) -> Context:
    """For one call of a function that a specification names; nothing of it outlives the process."""
    settings = load().settings
    backends = Backends(settings.model)
    clock = SystemClock()
    elapsed = Elapsed(clock.monotonic)
    journal = SqliteJournal(":memory:", secrets=secrets())
    record = LiveRecord(journal, "outside", clock=clock, elapsed=elapsed)
    record.open(
        RunStarted(
            app=app,
            task=None,
            model=settings.model.name,
            seed=0,
            budget=settings.budget,
            version=proveout.__version__,
        )
    )
    return Context(
        app=app,
        run="outside",
        ports=Ports(
            record=record,
            prompts=prompt_folder(settings.prompts.folder),
            experience=NoExperience(),
            engine=InlineEngine(),
            clock=clock,
            cancel=threading.Event(),
            model_for=backends.of_role,
            open_model=backends.of_name,
            open_sandbox=SandboxDoor(settings.sandbox),
            askers=backends.askers,
        ),
        # A specified function may be a whole pipeline; time, calls and money bound it all the same.
        meter=Meter(settings.budget.model_copy(update={"rounds": MOST_ROUNDS}), elapsed),
        rules=apps.find(app).lessons,
    )

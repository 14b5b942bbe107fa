"""A supervisor for tests that kill it: runs one script and says who guards it."""

import sys
import threading

from proveout.adapters.sandbox.local import LocalSandbox
from proveout.kernel.ports import ScriptJob, ScriptLimits

folder, source, *without = sys.argv[1:]
sandbox = LocalSandbox(warm=False, without=without)
sandbox.guarantees()
print(*(server.process.pid for server in sandbox._servers.values()), flush=True)  # noqa: T201
job = ScriptJob(source=source, folder=folder, limits=ScriptLimits(seconds=60))
sandbox.run(job, threading.Event())

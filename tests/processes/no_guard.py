"""A program without `if __name__ == "__main__"`: its workers run it again and die of that."""

import sys
import threading

from proveout.adapters.engine.local import ProcessEngine
from proveout.testing.engine_contract import length

engine = ProcessEngine(1)
# More than a pipe holds, so that handing it over fails.
work = engine.run(length, [b"x" * 5_000_000], timeout_seconds=60, cancel=threading.Event())
sys.stdout.write("; ".join(finished.error for finished in work))
engine.close()

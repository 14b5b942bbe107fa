"""The program: `proveout`, or `python -m proveout`.

Everything is imported inside, so that an interruption during start-up ends quietly too.
"""

import gc
import sys

COLLECT_AFTER = (50_000, 20, 50)
"""Objects made before unreachable circles are looked for, and how often older ones are looked at.

Libraries keep hundreds of thousands of objects for good, and every syntax tree makes thousands
more. With the usual numbers a third of what a search takes besides its scripts was looking."""


def main() -> None:
    gc.set_threshold(*COLLECT_AFTER)
    try:
        from proveout.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()

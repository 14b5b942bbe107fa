"""The program: `proveout`, or `python -m proveout`.

Everything is imported inside, so that an interruption during start-up ends quietly too.
"""

import sys


def main() -> None:
    try:
        from proveout.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()

"""An attack of our own on each new fork server: a promise counts once it has withstood it."""

import json
from pathlib import Path

from proveout.adapters.sandbox.guarantees import NO_NETWORK, READS_CONFINED, WRITES_CONFINED

PROBE = """
import json, os, socket

def works(attack):
    try:
        attack()
    except OSError:
        return False
    return True

def speak():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.sendto(b"hello", ("127.0.0.1", 9))

above = os.path.dirname(os.getcwd())
print(json.dumps({
    "no_network": works(speak),
    "seemed_to_write": works(lambda: open(os.path.join(above, "written"), "w").close()),
    "reads_confined": works(lambda: open(os.path.join(above, "outside")).close()),
    "own_folder": works(lambda: open("mine", "w").close()),
}))
"""


def got_through(printed: str, place: Path) -> set[str]:
    """The guarantees that the probe could break, as seen from the outside too."""
    try:
        told = json.loads(printed)
    except ValueError:
        told = {NO_NETWORK: True, READS_CONFINED: True}
    broken = {name for name in (NO_NETWORK, READS_CONFINED) if told.get(name)}
    # A write that seemed to work may have gone to a private place; only the outside counts.
    if (place / "written").exists() or not told.get("own_folder"):
        broken.add(WRITES_CONFINED)
    return broken

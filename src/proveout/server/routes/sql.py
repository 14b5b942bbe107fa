"""SQL over the journal: one SELECT, within bounds, on a connection that cannot write."""

from proveout.server.routes.parts import TheDesk, router_for
from proveout.server.shapes import Rows, SqlRequest

router = router_for("journal")


@router.post("/sql")
def run_query(desk: TheDesk, asked: SqlRequest) -> Rows:
    """The rows of one SELECT over `runs`, `events`, `blobs` and `patches`."""
    return desk.query(asked.query)

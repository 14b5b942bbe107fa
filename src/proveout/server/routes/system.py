"""The server itself: whether it answers, what works on its machine, how it is set."""

import proveout
from proveout.server.routes.parts import TheDesk, router_for
from proveout.server.shapes import (
    Examination,
    ExaminedLine,
    Health,
    SettingLine,
    SettingList,
    Verified,
)

router = router_for("system")


@router.get("/health")
def show_health() -> Health:
    """That the server answers; needs no token."""
    return Health(version=proveout.__version__)


@router.get("/version")
def show_version() -> Health:
    """The version of the product."""
    return Health(version=proveout.__version__)


@router.get("/doctor")
def show_doctor(desk: TheDesk) -> Examination:
    """What works on the server's machine, and the command that mends what does not."""
    lines = tuple(ExaminedLine(**line._asdict()) for line in desk.doctor())
    return Examination(healthy=all(line.state != "broken" for line in lines), lines=lines)


@router.get("/settings")
def show_settings(desk: TheDesk) -> SettingList:
    """Settings in force and where they came from, without secrets."""
    return SettingList(
        settings=tuple(
            SettingLine(name=name, value=value, origin=origin)
            for name, value, origin in desk.loaded.rows()
        )
    )


@router.get("/verify")
def verify_journal(desk: TheDesk) -> Verified:
    """Derive every hash of the journal again."""
    damage = [f"{one.run} {one.message}".strip() for one in desk.verify()]
    return Verified(intact=not damage, damage=damage)

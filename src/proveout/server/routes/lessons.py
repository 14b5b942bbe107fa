"""What earlier attempts taught."""

from typing import Annotated

from fastapi import Query

from proveout.server.routes.parts import TheDesk, router_for
from proveout.server.shapes import LessonList

router = router_for("lessons")


@router.get("/lessons")
def list_lessons(desk: TheDesk, app: Annotated[str, Query(max_length=100)] = "") -> LessonList:
    """The consolidated lessons that proposers are given."""
    return LessonList(lessons=desk.lessons(app))

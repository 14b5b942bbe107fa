"""All pages, put together."""

from fastapi import APIRouter, Response

from proveout.server.access import Access
from proveout.server.desk import Desk
from proveout.server.pages.compare import ComparePages
from proveout.server.pages.listed import runs_page
from proveout.server.pages.new import NewPages
from proveout.server.pages.other import OtherPages
from proveout.server.pages.pictures import Pictures
from proveout.server.pages.run import RunPages
from proveout.server.pages.site import Site, asset_answer
from proveout.server.uploads import Uploads


def site_of(desk: Desk, access: Access) -> Site:
    """The pages of a server, styles and pictures included."""
    router = APIRouter()
    site = Site(router, Pictures(desk.blob), leavable=bool(access.token))
    run, other = RunPages(desk), OtherPages(desk, access)
    new, compare = NewPages(desk, Uploads(desk.places.uploads, access.limits)), ComparePages(desk)

    site.page("/runs", runs_page(desk))
    site.page("/runs/{run}", run.run)
    site.page("/runs/{run}/attempt", run.attempt)
    site.page("/runs/{run}/events", run.events)
    site.page("/runs/{run}/replay", run.replay)
    site.form("/runs/{run}/replay", run.replayed)
    site.form("/runs/{run}/stop", run.stop)
    site.form("/runs/{run}/resume", run.resume)
    site.page("/compare", compare.compare)
    site.page("/new", new.choose)
    site.page("/new/{app}", new.form)
    site.form("/new/{app}", new.sent)
    site.page("/lessons", other.lessons)
    site.page("/sql", other.sql)
    site.page("/doctor", other.doctor)
    site.page("/login", other.login)
    site.form("/login", other.logged_in)
    site.form("/logout", other.logged_out)

    @router.get("/", include_in_schema=False)
    def home() -> Response:
        return other.home()

    @router.get("/static/{name}", include_in_schema=False)
    def static(name: str) -> Response:
        return asset_answer(name)

    return site

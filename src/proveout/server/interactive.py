"""The interactive page of the API, from files of an installed package: it needs no network."""

from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response

ASSETS = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}
"""What is served of the package; everything else of it is not needed."""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Proveout</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/docs.js" defer></script>
</head>
<body>
<main id="swagger-ui"><p>The description of this API is at
<a href="/api/v1/openapi.json">/api/v1/openapi.json</a>; this page needs JavaScript.</p></main>
</body>
</html>
"""
A_DAY = {"Cache-Control": "private, max-age=86400"}


def add_interactive_page(app: FastAPI) -> None:
    router = APIRouter(include_in_schema=False)

    @router.get("/docs")
    def docs() -> Response:
        return HTMLResponse(PAGE)

    @router.get("/docs/docs.js")
    def start() -> Response:
        script = (files("proveout.server") / "static" / "docs.js").read_bytes()
        return Response(script, media_type="text/javascript", headers=A_DAY)

    @router.get("/docs/openapi.json")
    def description() -> Response:
        return JSONResponse({**older(app.openapi()), "openapi": "3.0.3"})

    @router.get("/docs/{name}")
    def asset(name: str) -> Response:
        if name not in ASSETS:
            raise HTTPException(404)
        return FileResponse(_folder() / name, media_type=ASSETS[name], headers=A_DAY)

    app.include_router(router)


def older(value: Any) -> Any:
    """The description in the words of OpenAPI 3.0, which is what the page understands."""
    if isinstance(value, list):
        return [older(one) for one in value]
    if not isinstance(value, dict):
        return value
    told = {name: older(one) for name, one in value.items()}
    kinds = told.get("anyOf")
    if isinstance(kinds, list) and {"type": "null"} in kinds:
        kinds = [kind for kind in kinds if kind != {"type": "null"}]
        told.pop("anyOf")
        told |= {**kinds[0], **told} if len(kinds) == 1 else {"anyOf": kinds}
        told["nullable"] = True
    if "const" in told:
        told["enum"] = [told.pop("const")]
    if told.get("type") == "string" and told.pop("contentMediaType", None):
        told["format"] = "binary"
    if isinstance(told.get("examples"), list) and told["examples"]:
        told["example"] = told.pop("examples")[0]
    return told


def _folder() -> Path:
    import swagger_ui_bundle  # type: ignore[import-untyped]

    found: Path = Path(swagger_ui_bundle.swagger_ui_path)
    return found

"""Request bodies read with their types checked; whatever does not fit is the caller's error."""

from collections.abc import Mapping
from datetime import date

JsonObject = dict[str, object]


class ApiError(Exception):
    """An answer with an error status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text

    def body(self) -> JsonObject:
        return {"status": self.status, "error": self.text, "code": ""}


def not_found() -> ApiError:
    return ApiError(404, "Not found")


class Body:
    """Fields that are missing or null count as empty; a wrong type is a 400."""

    def __init__(self, fields: Mapping[str, object]) -> None:
        self._fields = fields

    def has(self, name: str) -> bool:
        return self._fields.get(name) is not None

    def text(self, name: str) -> str:
        value = self._fields.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise _wrong(name, "a string")
        return value

    def required(self, name: str) -> str:
        value = self.text(name)
        if not value:
            text = f"field '{name}' is required"
            raise ApiError(400, text)
        return value

    def one_of(self, name: str, allowed: tuple[str, ...]) -> str:
        value = self.text(name)
        if value not in allowed:
            text = f"field '{name}': unknown value '{value}'"
            raise ApiError(400, text)
        return value

    def integer(self, name: str) -> int:
        value = self._fields.get(name)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong(name, "an integer")
        return value

    def number(self, name: str) -> float:
        value = self._fields.get(name)
        if value is None:
            return 0.0
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _wrong(name, "a number")
        return float(value)

    def flag(self, name: str) -> bool:
        value = self._fields.get(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise _wrong(name, "a boolean")
        return value

    def day(self, name: str, *, required: bool = False) -> str:
        value = self.required(name) if required else self.text(name)
        if not value:
            return ""
        try:
            date.fromisoformat(value)
        except ValueError:
            raise _wrong(name, "a date like 2025-01-31") from None
        return value

    def texts(self, name: str) -> frozenset[str]:
        values = self._list(name)
        if not all(isinstance(value, str) for value in values):
            raise _wrong(name, "a list of strings")
        return frozenset(str(value) for value in values)

    def objects(self, name: str) -> list["Body"]:
        values = self._list(name)
        bodies = [Body(value) for value in values if isinstance(value, dict)]
        if len(bodies) != len(values):
            raise _wrong(name, "a list of objects")
        return bodies

    def child(self, name: str) -> "Body":
        value = self._fields.get(name)
        if value is None:
            return Body({})
        if not isinstance(value, dict):
            raise _wrong(name, "an object")
        return Body(value)

    def _list(self, name: str) -> list[object]:
        value = self._fields.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise _wrong(name, "a list")
        return value


def _wrong(name: str, kind: str) -> ApiError:
    return ApiError(400, f"field '{name}' must be {kind}")

"""Numbers as the API writes them."""


def plain(value: float) -> int | float:
    """8 instead of 8.0."""
    return int(value) if value == int(value) else value


def hours(centi: int) -> int | float:
    return plain(centi / 100)

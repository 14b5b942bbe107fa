"""Models propose. Code proves."""

__version__ = "0.1.0"

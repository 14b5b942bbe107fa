"""The idea: models propose, code proves. Standard library and pydantic only; no I/O, no model."""

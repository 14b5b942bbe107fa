"""A script as a notebook: one cell per block, so that a person can step through it."""

import re
from typing import Any

BLOCK = re.compile(r"^(?=# == .+? ==$)", re.MULTILINE)


def notebook_of(source: str) -> dict[str, Any]:
    """In the format that Jupyter reads (4.5)."""
    cells: list[dict[str, Any]] = []
    for number, part in enumerate(BLOCK.split(source)):
        text = part.strip("\n")
        if text.strip():
            cells.append(
                {
                    "cell_type": "code",
                    "id": f"block-{number}",
                    "execution_count": None,
                    "metadata": {},
                    "outputs": [],
                    "source": text.splitlines(keepends=True),
                }
            )
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }

"""Constants of a script. The writer replaces each by the problem's own value."""

SEED = 0
THREADS = 1
TIME_LIMIT = 60.0
"""Seconds for the whole script; the last fits get what the first ones left."""
MOST_ROWS = 0
"""Training rows of a fold, if there are more; nought: all."""

TARGETS: list[str] = []
LABELS: list[str] = []
"""Classes in the order of the prediction columns; empty for regression."""
ID = ""
COPIED: dict[str, str] = {}
"""Columns of the submission that name its rows together, and where the test file has them."""
ANSWERS: list[str] = []
"""Columns of the submission, without the id."""
FORM = "value"
"""Of the submission: a value or label, a probability of the second label, or one per label."""
TIMES: list[str] = []
"""Columns that order the rows, the longest unit first, if the rows to predict come later."""
GROUP = ""
"""Column whose rows of one value belong together."""
GROUP_MARK = ""
"""If not empty, only the part of the group's name before the last such mark counts."""

NUMBERS: list[str] = []
CODES: list[str] = []
"""Number columns that are names rather than amounts."""
BOOLEANS: list[str] = []
CATEGORIES: list[str] = []
TEXTS: list[str] = []
DATES: list[str] = []
COORDINATES: list[tuple[str, str]] = []
"""Pairs of latitude and longitude."""
SPLITTABLE: list[str] = []
"""String columns whose values may be several facts in one, such as `B/12/P`."""
JOINS: list[tuple[str, str]] = []
"""File and key of further tables."""
CUSTOM = ""
"""The task's own metric: a file, a colon, a function."""

"""Weeks, months by number and quarters as people write them.

Scripts hold this function, too: intake and scripts must read a cell alike.
"""

import re

import pandas as pd

YEAR_OF_PERIOD = r"(?P<year>(?:19|20)\d{2})"
PERIODS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{YEAR_OF_PERIOD}[-/ ]?w(?P<week>[0-5]?\d)(-(?P<day>[1-7]))?",
        rf"w(?P<week>[0-5]?\d)[-/ ]?{YEAR_OF_PERIOD}",
        rf"{YEAR_OF_PERIOD}[-/ ]?q(?P<quarter>[1-4])",
        rf"q(?P<quarter>[1-4])[-/ ]?{YEAR_OF_PERIOD}",
        rf"{YEAR_OF_PERIOD}[-/ ]?m(?P<month>1[0-2]|0?[1-9])",
        rf"m(?P<month>1[0-2]|0?[1-9])[-/ ]?{YEAR_OF_PERIOD}",
        rf"(?P<month>1[0-2]|0?[1-9])[-/.]{YEAR_OF_PERIOD}",
        rf"{YEAR_OF_PERIOD}(?P<month>1[0-2]|0[1-9])(\.0+)?",
        r"(?P<name>[a-z]{3,9})[-'](?P<short>\d{2})",
    )
)
"""`2021-W07`, `2021W07`, `2021-W07-3`, `W07 2021`, `2021-Q3`, `2021Q3`, `Q3 2021`,
`2021-M07`, `2021M07`, `M07 2021`, `07/2021`, `202107`, and `Jul-21`, as spreadsheets have it."""
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
FIRST_SHORT = 69
"""Years of two digits are of the last century from here on."""


def first_day(text: str) -> str:
    """The first day of a week, month or quarter, as `2021-02-15`; empty if it is none."""
    found = next((it for it in (form.fullmatch(text) for form in PERIODS) if it), None)
    if found is None:
        return ""
    parts = found.groupdict()
    if parts.get("name"):
        name, year = parts["name"].lower().replace("sept", "sep", 1), int(parts["short"])
        whole = next((it for it in MONTHS if name in (it, it[:3], it.replace("sept", "sep"))), "")
        century = 1900 if year >= FIRST_SHORT else 2000
        return f"{century + year}-{MONTHS.index(whole) + 1:02}-01" if whole else ""
    year = int(parts["year"])
    if parts.get("quarter"):
        return f"{year}-{3 * int(parts['quarter']) - 2:02}-01"
    if parts.get("month"):
        return f"{year}-{int(parts['month']):02}-01"
    # Reckoned, not looked up: some calendars have a week 0, or a 53rd where ISO has none.
    weeks, days = int(parts["week"]) - 1, int(parts.get("day") or 1) - 1
    begin = pd.Timestamp.fromisocalendar(year, 1, 1) + pd.Timedelta(days=7 * weeks + days)
    return str(begin.date())

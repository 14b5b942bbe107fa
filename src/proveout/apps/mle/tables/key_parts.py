"""What stands in the name of a row: letters before its first digit, and numbers.

Scripts hold these functions, too: intake and scripts must take a name apart alike.
"""

import pandas as pd

MOST_PREFIXES = 30
"""With more of them, they are names themselves."""


def key_prefixes(keys: pd.Series) -> pd.Series:
    """What stands before the first digit; capitals make no difference."""
    return keys.astype("str").str.strip().str.upper().str.extract(r"^([^0-9]*)", expand=False)


def key_numbers(keys: pd.Series) -> pd.DataFrame:
    """The first run of digits, and the second: `B-2019/0007` has both. A gap in a column makes
    `27.0` of 27."""
    plain = keys.astype("str").str.replace(r"\.0+$", "", regex=True)
    parts = plain.str.extract(r"^\D*(?P<number>\d+)(?:\D+(?P<second>\d+))?")
    return parts.astype("float64").rename(columns={"second": "second number"})

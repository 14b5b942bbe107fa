"""Rule-based proposers: they write real scripts from what the data show."""

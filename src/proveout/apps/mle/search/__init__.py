"""The default mode: a search by the clock, a choice with reasons, the files at the end."""

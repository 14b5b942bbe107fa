"""The journal port on SQLite: one file that a user owns."""

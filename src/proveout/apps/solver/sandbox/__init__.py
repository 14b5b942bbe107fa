"""Untrusted SQL: admitted by its syntax tree, run by a process that can be killed."""

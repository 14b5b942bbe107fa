"""Prompts of the solver's roles."""

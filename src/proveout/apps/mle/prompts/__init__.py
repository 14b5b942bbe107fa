"""Prompt files of the mle roles."""

"""Prompt files of the word game that the kernel's tests play."""

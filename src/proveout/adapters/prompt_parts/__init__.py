"""Pieces that prompt files include."""

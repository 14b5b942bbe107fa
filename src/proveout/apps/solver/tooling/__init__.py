"""The tools behind the facade in `tools.py`."""

"""Measures the app mle against AutoML on the same tasks, the same machine and the same time."""

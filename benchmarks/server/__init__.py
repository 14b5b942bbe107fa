"""The server under load: watchers and assessments at a steady rate."""

"""The task-local API: one state per task, the routes that read and change it."""

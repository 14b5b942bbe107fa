"""From the words of a task to the entities they mean."""

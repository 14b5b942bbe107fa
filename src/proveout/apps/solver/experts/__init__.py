"""Understanding a task without a model: language, mentions, concepts, intent, plan."""

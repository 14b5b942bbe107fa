"""What a question says, found by closed patterns and a lexicon: no model, no statistics."""

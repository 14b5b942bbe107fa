"""Tables of a task: columns, keys, repeated rows, folds, metrics."""

"""MLE-STAR as specified: every function under its name, phase by phase."""

"""Places where picklable work is done."""

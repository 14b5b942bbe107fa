"""Is the manual true? Blocks are executed, links followed, lists compared with the program."""

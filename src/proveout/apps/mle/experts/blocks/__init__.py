"""Functions that the writer copies into scripts: real code, so it is linted, typed and tested."""

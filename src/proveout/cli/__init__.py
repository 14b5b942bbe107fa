"""The command line: the only place that prints. Data on stdout, everything else on stderr.

Modules here import the runtime inside their functions, so that `proveout --help` answers at once.
"""

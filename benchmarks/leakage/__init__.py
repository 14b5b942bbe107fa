"""The static leakage check on scripts and notebooks that others labelled."""

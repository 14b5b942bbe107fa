"""A synthetic company: people, projects, a wiki drawn from a hidden policy, tasks and a grader.

Everything is a pure function of a seed and a profile. The package speaks to solvers over HTTP only
and shares no code with them.
"""

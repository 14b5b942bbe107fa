"""How fast and how frugal the solver is: `python -m benchmarks.solver`."""

"""`proveout solver improve`: what failures teach, and the gate that a lesson must pass."""

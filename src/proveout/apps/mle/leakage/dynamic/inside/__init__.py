"""Travels into the sandbox beside a program and notes what its libraries see.

Copied into the work folder as a package of its own, so it uses the standard library, and NumPy
where the program brings it.
"""

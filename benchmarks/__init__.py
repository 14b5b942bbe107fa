"""One command per table in `docs/benchmarks.md`."""

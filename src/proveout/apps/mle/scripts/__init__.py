"""Scripts and what is said about them: values, blocks, roles' answers, where they run."""

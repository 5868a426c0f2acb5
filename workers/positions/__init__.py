"""Answers about positions: looked up, searched, in batches; the jobs of kind ``analyze``."""

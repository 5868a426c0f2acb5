"""Shared parts of the match commands: options, reports as tables, objects and pictures."""

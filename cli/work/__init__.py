"""Shared parts of commands with a job: backend, results, progress."""

"""Shared parts of commands that answer questions about positions: reading, asking, writing."""

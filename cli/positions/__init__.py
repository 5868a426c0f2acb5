"""Shared by commands that answer questions about positions: reading, asking and writing."""

"""Reads and writes books in other formats."""

"""A file for each command; a package for a family of commands."""

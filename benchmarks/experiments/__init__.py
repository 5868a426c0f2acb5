"""Experiments of the sources besides their matches, made again."""

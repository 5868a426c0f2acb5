"""Data sets of labelled positions.

``sources`` has the order for a data set and finds its positions. ``making`` has them labelled by an
analysis of all their columns, and writes the files.
"""

"""Data sets of labelled positions.

``sources`` describes the order for a data set and finds its positions. ``making`` labels them by
an analysis of all columns, and writes the files.
"""

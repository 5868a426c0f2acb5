"""Data sets of labelled positions.

An *order* describes a data set to make. ``sources`` has the orders, and finds their positions.
``making`` labels the positions by an analysis of all columns, and writes the files.
"""

"""Modules of :mod:`c4core.players` that work with bitboards, compiled again for wide boards.

The modules of the same names in :mod:`c4core.players` are the sources. They call the functions here
for positions on wide boards.
"""

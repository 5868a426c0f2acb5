"""The modules of :mod:`c4core.players` that work with squares, compiled for boards of any size.

Their sources are the modules of the same names in :mod:`c4core.players`, which call them for wide
boards.
"""

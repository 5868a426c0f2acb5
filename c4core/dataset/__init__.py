"""Data sets: positions with exact labels, for programs that learn.

A ``sample`` of positions is labelled; ``assembly`` makes the columns of every part from it.
``neighbours`` says which of them are a single move apart. ``directory`` writes the parts in one or
several ``formats``, with a ``card`` that says how the data set was made. ``exchange`` has the
formats of others.
"""

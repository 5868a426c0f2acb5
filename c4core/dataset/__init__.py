"""Data sets: positions with exact labels, for programs that learn.

===========  ==================================================================
sample       the positions of a data set; ``drawing`` draws them from random
             games, which ``random_play`` plays
lots         decisions by a hash: which positions, which part, which image
records      the columns as arrays; ``moves_to`` finds a position's moves
assembly     from labelled positions to the columns of every part
formats      the files: ``npz``, ``parquet`` and ``jsonl``
allowance    how much memory a file may take
card         how a data set was made; ``card_page`` is the same for people
directory    writes and inspects a data set; ``placing`` moves its files into
             place, ``checking`` compares them with the card
===========  ==================================================================
"""

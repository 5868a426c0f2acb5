"""Models that play: networks and tables, their files, their training, and their quality.

Residual networks (``residual``, with their arithmetic in ``layer.h``) and n-tuple networks
(``tuples``) play without PyTorch. Both are subclasses of ``Evaluator``. Its module ``evaluator``
also converts positions to the input of networks, and searches a few plies ahead. ``files`` reads
and writes models; ``players`` makes evaluators from them, and defines the players that use models.

A ``Course`` is a model in training. ``loop`` trains any course, writes checkpoints, and has the
course of n-tuple networks. The other courses are in ``torch``, with everything else that needs
PyTorch. Models learn from ``labels`` (positions with exact scores, or final grids of games) or from
their own games. ``quality`` compares the moves of any player with exact scores.
"""

"""Models that play: networks and tables, their files, their training, and their quality.

A residual network (``residual``, with its arithmetic in ``layer.h``) or an n-tuple network
(``tuples``) plays with the engine alone. Both are based on ``evaluator``, which also makes the
input of networks from positions, and searches a few plies ahead. ``files`` reads and writes models;
``players`` makes evaluators from them, and defines the players.

``loop`` trains any ``Course``, with checkpoints, and has the course of n-tuple networks. The other
courses are in ``torch``, with everything else that needs PyTorch. Models learn from ``labels``
(positions with exact scores, or final grids of games) or from their own games. ``quality`` measures
any player against the exact scores.
"""

"""Models that play with nothing but the engine: PyTorch is only needed to train them.

``planes`` makes the input of networks from positions. ``evaluator`` is the base of all models that
judge positions; ``residual`` is a network (its sums are in ``layer.h``), ``tuples`` adds up
table entries. ``c4core.players.lookahead`` searches some plies on top of any of them.
"""

"""Models that play: networks and tables, their files, their training, and how good they are.

Nothing but the engine is needed to play a residual network (``residual``, with its sums in
``layer.h``) or an n-tuple network (``tuples``). Both are based on ``evaluator``, which also makes
the input of networks from positions, and searches some plies ahead. ``files`` reads and writes
models; ``players`` makes evaluators from them, and has the players.

``loop`` trains any ``Course``, with checkpoints, and has the course of n-tuple networks. The other
courses are in ``torch`` with all that needs PyTorch. Models learn from ``labels`` (positions with
exact scores, or final grids of games) or from their own games. ``quality`` measures any player by
the exact scores.
"""

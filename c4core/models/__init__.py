"""Models that play: networks, their files, their training, and their quality.

Residual networks (``residual``, with their arithmetic in ``layer.h``) play without PyTorch. The
module ``planes`` converts positions to the input of networks. ``files`` reads and writes models;
``players`` makes engines from them, and defines the players that use models.

A ``Course`` is a model in training. ``loop`` trains any course and writes checkpoints. The courses
are in ``torch``, with everything else that needs PyTorch. Models learn from ``labels`` (positions
with exact scores, or final grids of games), and from their games against ``perfect_play``.
``quality`` compares the moves of any player with exact scores.
"""

"""Training of the models that play; needs PyTorch and safetensors, as :mod:`c4core.learning` does.

=============  ========================================================
exact_course   training on exact labels
final_course   the source's training
grids          final grids of games: played, read, stored
labels         positions with exact labels, as ``c4 dataset`` writes them
loop           the loop that all trainings share, and its checkpoints
report         what came of it: confusion, accuracy, curves
selfplay       training from scratch, against itself
side_by_side   many games at once, as arrays
=============  ========================================================
"""

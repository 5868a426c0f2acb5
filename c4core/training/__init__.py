"""Training of the models that play; needs PyTorch and safetensors, as :mod:`c4core.learning` does.

=============  ========================================================
exact_course   training on exact labels
final_course   the training of Brewer 2017, on final grids
grids          final grids of games: played, read, stored
labels         positions with exact labels, as ``c4 dataset`` writes them
loop           the loop that all courses share, and its checkpoints
report         how good a model is: confusion matrix, accuracy, curves
selfplay       training from scratch, by self-play
side_by_side   many games at once, as arrays, for self-play
=============  ========================================================
"""

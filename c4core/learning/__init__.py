"""Players that learn: networks, their training, and the files that keep them.

Needs PyTorch and safetensors (``c4core.extras.LEARN``); nothing outside of this package imports
them, and of this package only what trains or plays does.

=============  ========================================================
encoding       positions and final grids as arrays
grids          final grids of games: played, read, stored
dataset        positions with exact labels, as ``c4 dataset`` writes them
network        the source's network, on final grids
exact          a network with a policy and a value head
columns        a network with an output for every column
final_course   the source's training
exact_course   training on exact labels
selfplay       training from scratch, against itself
training       the loop that all of them share, and its checkpoints
modelfile      the file of a model
playing        a model that is asked for columns
report         what came of it: confusion, accuracy, curves
=============  ========================================================
"""

"""Models that play: networks, the file that keeps one, and how it is asked for columns.

Needs PyTorch and safetensors (``c4core.extras.LEARN``); only what plays or trains imports them.

=============  ========================================================
columns        a network with an output for every column
encoding       positions and final grids as arrays
exact          a network with a policy and a value head
modelfile      the file of a model
network        the source's network, on final grids
networks       a network of any kind, made from its description
playing        a model that is asked for columns
trunk          what the networks for columns begin with
=============  ========================================================
"""

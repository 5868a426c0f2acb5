"""Models that play: networks, the file that keeps one, and how it is asked for columns.

Needs PyTorch and safetensors (``c4core.extras.LEARN``); only what plays or trains imports them.

=============  ========================================================
cnn            the network of Brewer 2017, on final grids
columns        a network with an output for every column
encoding       positions and final grids as arrays
errors         what is raised at a model that cannot be used
exact          a network with a policy and a value head
modelfile      the file of a model
networks       a network of any kind, made from its description
playing        a model that is asked for columns
trunk          what the networks for columns begin with
=============  ========================================================
"""

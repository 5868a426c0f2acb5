"""The gain from splitting one position over many workers, and the cost.

The pieces of real positions are searched once, and their costs are kept. Then any number of workers
is simulated with a virtual clock, on the tree that real jobs use.
"""

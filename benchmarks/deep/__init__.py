"""The gain by splitting one position over many workers, and its cost.

The pieces of real positions are searched once, and their costs are kept. Any number of workers are
then simulated with a virtual clock, on the tree that real jobs use.
"""

"""What splitting one position over many workers gains, and what it costs.

The pieces of real positions are searched once and their costs are kept. How many workers would
have done the work is then simulated with a virtual clock, on the very tree that the jobs use.

==========  ====================================================================
costs       what pieces cost, and the file that keeps it
simulation  workers that take turns at the pieces, with a virtual clock
plot        the plot of the speed-up
boards      empty boards proven by ``c4 deep``, and the table of them
==========  ====================================================================
"""

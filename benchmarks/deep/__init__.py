"""What splitting one position over many workers gains, and what it costs.

The pieces of real positions are searched once and their costs kept; how many workers would have
done the work is then simulated with a virtual clock, on the very tree that the jobs use.
"""

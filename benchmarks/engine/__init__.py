"""How fast the solver is, alone and beside others: ``python -m benchmarks --help``.

==============  =========================================================================
solvers         the engine and ``bitbully``, called from Python
programs        any other solver, by its command line
compare         runs solvers in turn on the same positions and repeats it
plan            how much of everything is measured
positions       draws positions for the six classes and labels them
sample          draws the positions of ``c4 analyze --sample``
classes         the six classes, solver against solver
boards          empty boards, first moves
columns         the scores of all columns
batches         whole batches, threads
calls           what a call from Python costs
results         the file that all results are kept in
tables, plot    ``docs/performance.md``
==============  =========================================================================
"""

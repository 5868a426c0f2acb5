"""How fast the solver is, alone and beside others: ``python -m benchmarks --help``.

==============  =========================================================================
solvers         the engine and ``bitbully``, called from Python
programs        any other solver, by its command line
compare         runs solvers in turn on the same positions and repeats it
positions       draws positions for the six classes and labels them
classes         the six classes, solver against solver
boards          empty boards, first moves
columns         the scores of all columns
batches         whole batches, threads
calls           what a call from Python costs
results         the file that all results are kept in
tables, plot    results for people; ``docs/performance.md``
==============  =========================================================================
"""

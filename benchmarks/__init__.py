"""What was measured, and the commands that measure it again.

================  ==========================================================================
engine            the solver alone and beside others: ``python -m benchmarks``
books             opening books: ``python -m benchmarks.books``
datasets          labelled data sets: ``python -m benchmarks.datasets``
deep              one position on many workers: ``python -m benchmarks.deep``
learning          players that learn: ``python -m benchmarks.learning``
matches           the source documents' matches: ``python -m benchmarks.matches``
scaling           the service and many workers: ``python -m benchmarks.scaling``
storage           databases and jobs: ``python -m benchmarks.storage``
page, plotting    what the pages of the documents have in common, and their plots
record, commands  machine, versions, files of figures; what a command of C4 takes
options           options that several commands have
random_play       random games
================  ==========================================================================
"""

"""What books of 7x6 take: ``python -m benchmarks.books --help``.

================  ====================================================================
building          what a book takes, built by the command that users have
sampling          what one would take, from some of its units
ways              what order, units and table are worth, on such a sample
results           the file that keeps it all, and ``docs/books.md``
================  ====================================================================
"""

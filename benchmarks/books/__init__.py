"""What books of 7x6 take: ``python -m benchmarks.books --help``.

================  ====================================================================
building          what ``c4 book build`` takes
sampling          what one would take, from some of its units
ways              what order, units and table gain, on such a sample
results           the file that keeps it all, and ``docs/books.md``
================  ====================================================================
"""

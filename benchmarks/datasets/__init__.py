"""What labelled data sets of 7x6 take: ``python -m benchmarks.datasets --help``.

==========  ====================================================================
building    what ``c4 dataset build`` takes
results     the file that keeps it, and ``docs/datasets.md``
==========  ====================================================================
"""

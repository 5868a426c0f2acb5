"""The command line ``c4``: thin commands over ``workers``, ``db`` and ``c4core``.

``main`` is the process (signals, streams); ``app`` is the tree of commands and reports failures.
``commands`` has a file for each command. ``shell`` surrounds every command, and ``output`` has
formats and progress. Heavy modules (numpy, SQLAlchemy, rich) are imported inside the functions that
need them, so that ``c4 --help`` answers at once.
"""

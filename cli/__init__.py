"""The command line ``c4``: thin commands over ``workers``, ``db`` and ``c4core``.

``__main__`` sets up signals and streams; ``app`` has the tree of commands and reports failures.
``commands`` has a file for each command. ``shell`` has the parts that all commands share, and
``output`` has formats and progress. Heavy modules (numpy, SQLAlchemy, rich) are imported inside the
functions that need them, so that ``c4 --help`` starts quickly.
"""

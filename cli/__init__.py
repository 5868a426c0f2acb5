"""The command line ``c4``: thin commands over ``workers``, ``db`` and ``c4core``.

``main`` is the process (signals, streams, exit codes), ``app`` the tree of commands; every family
of commands has a module of its own. What is heavy to import (numpy, SQLAlchemy, rich) is imported
inside the functions that need it, so that ``c4 --help`` answers at once.
"""

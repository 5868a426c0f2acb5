"""The command line ``c4``: thin commands over ``workers``, ``db`` and ``c4core``.

``main`` is the process (signals, streams), ``app`` the tree of commands and their failures.
``commands`` has a file for each command; ``shell`` is what surrounds every command, ``output`` what
every command writes with. What is heavy to import (numpy, SQLAlchemy, rich) is imported inside the
functions that need it, so that ``c4 --help`` answers at once.
"""

"""The command line ``c4``: thin commands over ``workers``, ``db`` and ``c4core``.

``main`` is the process (signals, streams, exit codes), ``app`` the tree of commands. Each family of
commands has a package (``solve``, ``jobs``, ``query``, ``bench``) or a module (``database``);
``shell`` is what surrounds every command, ``output`` what every command writes with. What is heavy
to import (numpy, SQLAlchemy, rich) is imported inside the functions that need it, so that
``c4 --help`` answers at once.
"""

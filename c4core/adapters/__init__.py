"""C4's players in the environments of other projects, and their agents as players of C4.

Each project has a module: ``kaggle`` and ``kaggle_opponents``, ``gymnasium``, ``pettingzoo``,
``openspiel``, and ``ugi`` (the line protocols of game engines). A module imports the package of its
project, and no other module of C4 imports it. ``kaggle``, ``planes`` and ``ugi`` work without extra
packages.
"""

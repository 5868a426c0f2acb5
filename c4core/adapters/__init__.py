"""C4's players in environments of other projects, and their agents as players of C4.

There is a module for each: ``kaggle`` and ``kaggle_opponents``, ``gymnasium``, ``pettingzoo``,
``openspiel``, and ``ugi``, the line protocol of game engines. A module imports the package that it
is for, and no other module of C4 imports it. ``kaggle``, ``planes`` and ``ugi`` need no package.
"""

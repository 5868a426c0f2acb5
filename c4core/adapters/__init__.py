"""C4's players in other people's environments, and theirs among ours.

A module for each: ``kaggle`` and ``kaggle_opponents``, ``gymnasium``, ``pettingzoo``,
``openspiel``, and ``ugi``, the line protocol of game engines. A module imports the package that it
is for, and no other module of C4 imports that. ``kaggle``, ``policy`` and ``ugi`` need no package.
"""

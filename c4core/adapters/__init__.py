"""C4's players in the environments of other projects, and agents of these projects as players.

The modules are ``kaggle`` and ``kaggle_opponents``, ``gymnasium``, ``pettingzoo``, ``openspiel``,
and ``uci`` (the line protocols of game engines). Only these modules import the packages of other
projects. ``kaggle``, ``planes`` and ``uci`` work without extra packages.
"""

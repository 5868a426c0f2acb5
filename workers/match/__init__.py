"""Matches between players, as jobs of kind ``match``, and imported games.

``terms`` checks the terms of matches, ``job`` finds or plans them, ``units`` plays the games of a
unit with a ``table``, which also lets a player choose a single move. ``judging`` compares moves
with exact scores, ``reviews`` shows where games were lost, and ``report`` summarizes a match.
``files`` imports and exports games. ``puzzles`` finds positions with only one good move.
"""

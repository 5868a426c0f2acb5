"""Matches as jobs: ``planning`` cuts them into units, ``units`` plays the games of one.

``table`` seats the players and plays a game, ``sequential`` ends a match that a test has decided,
``replaying`` plays a stored game again, ``importing`` stores games from elsewhere, ``judging``
holds games against exact scores.
"""

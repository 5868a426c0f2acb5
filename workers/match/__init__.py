"""Matches between players, as jobs of kind ``match``, and games from elsewhere.

``terms`` says which matches may be played, ``job`` finds or plans them, ``units`` plays the games
of a unit at a ``table``. ``judging`` compares moves with exact scores, ``reviews`` tell where games
went wrong, ``report`` is about a match. ``files`` has games from elsewhere. ``moving`` lets a
player choose one move.
"""

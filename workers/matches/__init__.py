"""Matches between players, games from elsewhere, and the kind of job that is called ``match``.

To play: ``pairing`` makes the matches of a tournament, ``terms`` checks what is asked for,
``playing`` finds or plans the job, ``planning`` cuts it into units by what the players take
(``measuring``), ``units`` plays the games of one, ``kind`` puts these together. ``table`` seats the
players and plays a game, with exact scores from ``analyst`` and stored games from ``corpora``;
``programs`` says which programs may be started, ``interrupting`` stops a player, ``sequential``
ends a match that a test has decided. ``replaying`` plays a stored game again.

To look at games: ``judging`` compares moves with exact scores (those that are known: ``scores``),
``reviews`` tell where games went wrong, ``reports`` are about matches. ``files`` has games from
elsewhere. ``moving`` lets a player choose one move. ``errors`` has the errors.
"""

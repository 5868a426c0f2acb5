"""What storage takes and returns: plain values, which need no SQLAlchemy.

- :mod:`db.records.evaluations`: what is stored about a position, and how to ask for it;
- :mod:`db.records.jobs`: jobs, their units, and the claims on units;
- :mod:`db.records.terms`: the terms of a match, which decide its games;
- :mod:`db.records.matches`: a match with its tally, and its games as arrays;
- :mod:`db.records.games`: one game, and how to ask for games;
- :mod:`db.records.workers`: what a worker process says of itself.
"""

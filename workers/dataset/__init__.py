"""Data sets of labelled positions.

``order`` says what a data set shall be. ``sources`` finds its positions: ``strong_games`` has games
played for that, ``stored_games`` takes positions from games. ``labelling`` has them labelled by an
analysis of all their columns. ``draft`` is a data set on the way from positions to files, and
``making`` leads it there.
"""

"""Data sets of labelled positions.

``order`` says what a data set shall be and writes it, ``stored_games`` takes positions from games,
``labelling`` has them labelled by an analysis of all their columns.
"""

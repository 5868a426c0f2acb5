"""Labelled positions in the formats of the field's public evaluation sets.

=============  =====================================================================================
c4solver       A line for each position: its moves, a blank, and its score; or the scores of all
               columns, -1000 for a full one. Pascal Pons's program writes and his six classes of
               positions are such files. With weak scores all are -1, 0 and 1.
refmoves       JSON Lines, as Peter Cnudde's validation set for Kaggle's ConnectX has them:
               ``board`` is a flat list of squares from the top row on, 0 for an empty one, 1 and 2
               for the stones of the first and the second player; ``score`` is the position's, and
               ``move score`` has the columns', -99 for a full one.
=============  =====================================================================================

All scores are for the side to move, on the scale of :mod:`c4core.evaluation`.
``reading`` reads both formats, ``writing`` writes them.
"""

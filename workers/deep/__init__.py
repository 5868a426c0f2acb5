"""Jobs of kind ``deep``: the value of one position, proven by many workers together.

The position's tree is split into pieces: "does this sub-position score at least so much?"
(:mod:`workers.deep.tree`). A piece is a unit of the job (:mod:`workers.deep.units`); whoever
completes a unit plans the next ones within the same transaction (:mod:`workers.deep.planning`).
"""

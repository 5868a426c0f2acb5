"""Bounds of positions as an array: what one solver's table knows, for another solver.

See :meth:`c4core.Solver.table_bounds` and :meth:`c4core.Solver.add_bounds`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

BOUND: Final = np.dtype([("key", "<u8"), ("score", "i1"), ("is_upper", "?"), ("log_nodes", "u1")])
"""One bound, 11 bytes. ``score`` is for the side to move of the position with this key: its score
is at most that if ``is_upper``, and at least that if not. ``log_nodes`` is the whole part of the
binary logarithm of the positions that were searched for it; it is 31 for all from 2**31 on."""

# The kernel: one translation unit, compiled for each kind of processor (kernel.pyx), without Python objects.
#
# Each file explains one idea, with a picture or a proof. Read them in this order: board.pxd, bounds.pxi,
# table.pxi, ordering.pxi, patterns.pxi, history.pxi, order_network.pxi, search.pxi, together.pxi,
# root.pxi.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint64_t, uintptr_t

cimport c4core.engine.atomics as atomics
from c4core.engine.board cimport *
from c4core.engine.kernel cimport *

include "bounds.pxi"
include "table.pxi"
include "ordering.pxi"
include "patterns.pxi"
include "history.pxi"
include "order_network.pxi"
include "search.pxi"
include "together.pxi"
include "root.pxi"

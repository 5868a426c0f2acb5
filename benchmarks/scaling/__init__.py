"""How far the service grows: ``python -m benchmarks.scaling --help``.

================  ====================================================================
costs             what units and messages cost, and the file that keeps it
measure           measures that, on a real PostgreSQL and a real Redis:
kinds, units      .. planning, claiming, solving, completing
messages, fleet   .. messages, duties beside the units, real workers
meters            .. processor time of servers, round trips
limits            the formula: which resource saturates where
check             real workers, held against the measured costs
books             what complete opening books cost
pages             the tables of ``docs/scaling.md``
================  ====================================================================
"""

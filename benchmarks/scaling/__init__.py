"""How far the service grows: ``python -m benchmarks.scaling --help``.

================  ====================================================================
costs             what units and messages cost, and the file that keeps it
measure           measures that, on a real PostgreSQL and a real Redis:
kinds, units      .. planning, claiming, solving, completing
messages, fleet   .. messages, duties beside the units, real workers
meters            .. processor time of servers, round trips
events            a simulation of things that wait for each other
model             the service as such a simulation
limits            what saturates where, without a simulation
check             real workers beside simulated ones
books             what complete opening books cost
studies           which services are simulated
pages, plot       ``docs/scaling.md``
================  ====================================================================
"""

"""The face of C4: an analysis board in the browser, and an API for programs.

``settings`` says how a server is run, ``serving`` runs one, ``app`` puts it together. ``service``
is what all requests share: the database, the desk that answers about positions, threads.

A request goes through ``middleware`` (limits, hosts, headers) to a function in ``api``, a module
for each resource, with the routes and their part of the OpenAPI document (``description``).
``parameters`` reads what was asked, ``bodies`` what is larger than memory, ``writing`` tells who
may change anything. ``responses`` writes the answer, ``errors`` what went wrong.

Positions are answered by ``asking``, with the help of ``known`` (answers as they were written) and
``lookups`` (what is stored: at once, or by ``gathering`` for many at a time); ``playing`` lets a
player move. ``jobs`` are made and watched; ``running`` works on them where no broker has workers.
``counters`` and ``metrics`` are for Prometheus; ``files`` sends those of the analysis board, which
lie in ``pages``.
"""

"""The web server: an analysis board in the browser, and an API for programs.

``settings`` says how a server is run, ``http.server`` runs it, ``app`` puts it together.
``service`` has what all requests share: the database, solvers, threads, limits of each client.

A request passes ``middleware`` and ``access`` and reaches a function in ``api``, which has a module
for each resource. ``parameters`` reads the query and JSON objects, ``bodies`` reads bodies within
the limits of ``rooms``, ``responses`` writes answers and errors, and ``openapi`` describes all.
``lookups`` reads stored evaluations. ``running`` works on jobs if no broker has workers for them.
``files`` sends the analysis board in ``pages``.
"""

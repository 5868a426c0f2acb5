"""The web server: an analysis board in the browser, and an API for programs.

``settings`` has the options of a server, and ``server`` runs it. ``app`` builds the application,
which also serves the analysis board in ``pages``.
``service`` holds the resources that requests share: the database, solvers, threads and the limits
of each client. ``running`` works on jobs if there is no broker.

A request passes ``middleware`` and ``access`` and reaches a function in ``api``, which has one
module for each resource. ``parameters`` reads the query and JSON objects. ``bodies`` reads request
bodies within limits of size and time. ``responses`` writes answers and errors, and
``openapi`` describes the API.
"""

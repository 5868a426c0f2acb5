"""What storage and jobs cost beyond the search: ``python -m benchmarks.storage --help``.

==========  ====================================================================
rates       upserts, lookups, streams, pages, units; on SQLite and PostgreSQL
overhead    a whole job on SQLite, beside the search alone
==========  ====================================================================
"""

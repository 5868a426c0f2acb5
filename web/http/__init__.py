"""The HTTP server: ``server`` starts and stops it, ``protocol`` limits its connections.

No other package uses uvicorn. ``protocol`` uses names that uvicorn may change in any version, so
the package's metadata has an upper bound for uvicorn. Raise the bound when
``tests/unit/web/test_protocol.py`` passes with a newer version.
"""

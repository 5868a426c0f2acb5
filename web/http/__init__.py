"""The process that listens: ``server`` runs it and ends it, ``protocol`` limits its connections.

No other package touches uvicorn. ``protocol`` uses names that uvicorn may change in any version. So
the package's metadata has an upper bound for uvicorn: raise it when the tests of the protocol
(``tests/unit/web/test_protocol.py``) pass with a newer version.
"""

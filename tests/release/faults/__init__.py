"""Fault injection: workers, brokers, the database and the network fail, and nothing is lost.

``make faults`` runs the tests. ``python -m tests.release.faults.report`` writes their figures into
the documents.
"""

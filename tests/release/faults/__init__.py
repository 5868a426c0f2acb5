"""Faults on purpose: workers, brokers, the database and the network fail, and nothing is lost.

``make faults`` runs them. ``python -m tests.release.faults.report`` writes their figures to the
documents.
"""

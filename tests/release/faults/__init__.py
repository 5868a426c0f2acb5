"""Fault injection: workers, brokers, the database and the network fail, and nothing is lost.

``make faults`` runs the tests, and prints a table of their figures.
"""

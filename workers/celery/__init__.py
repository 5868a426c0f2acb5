"""All code that uses Celery, kombu and their private names: the messages and the workers.

A client needs ``doorbell``, which sends messages about units, and ``url``, which checks the
broker's URL without loading Celery. ``messaging`` sets the library up for both brokers, and makes
it survive servers with invalid messages or without memory.

``service`` is one run of ``c4 worker``, around Celery, whose consumer it changes; module
``workers.app`` is for Celery's own command line. Both make a ``process``, which performs periodic
duties: its ``unit_worker`` works on the units that messages name, and ``metrics`` serves metrics to
Prometheus.
"""

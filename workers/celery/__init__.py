"""Workers on other machines: Celery takes messages from a broker and calls the worker's loop.

A message says that there is work in a lane, and names no unit. A client needs ``broker``, which
checks the broker's URL and sends such messages. ``host`` lets each working process of a Celery
worker work on units.
"""

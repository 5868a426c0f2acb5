"""The process behind ``c4 worker``.

``service`` is one run of it, around Celery. ``process`` is what every worker process needs,
``this_process`` the one that this process is. ``unit_worker`` works on units, ``spare`` hands back
one that waits too long for a thread, ``counters`` counts them. ``registration`` keeps the worker's
entry in the register, ``sweeping`` brings back lost work, ``without_broker`` goes on while the
broker takes no messages, ``metrics`` serves figures to Prometheus, ``table_room`` gives the table
its memory. ``stopping`` ends the process in order.
"""

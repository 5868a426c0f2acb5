"""How any job is worked on, whatever its kind.

``kinds`` has the table of all kinds. ``submission`` makes a job of a stream of units,
``resumption`` finds the one that was made before. ``execution`` solves and completes a claimed
unit; ``outcome`` is what solving yields, ``leases`` keeps the claim alive, ``rationing`` gives
threads turns to search, ``interrupting`` stops work that nobody asks, ``rounds`` is a thread for
periodic duties. ``following`` yields a job's results, ``progress`` tells how far it is,
``attendance`` whether anybody works on it. ``lanes`` keeps interactive work apart from bulk work.
``standing`` has what people and programs are told of a job, ``outages`` waits while the database is
away and says whose fault an error is.
"""

"""How any job is worked on, whatever its kind.

``kinds`` has the table of all kinds, and ``submit`` makes jobs or finds those made before. ``run``
solves and completes a claimed unit; ``searching`` gives its threads turns to search, and ``leases``
keeps the claim alive. ``follow`` shows a job from outside: its state, its progress, its results.
"""

"""The work on any job, independent of its kind.

``kinds`` has the table of all kinds. ``submit`` creates jobs or finds existing ones, and predicts
search times. ``run`` solves and completes a claimed unit; ``searching`` gives its threads turns to
search, and ``leases`` keeps the claim alive. ``follow`` shows a job from outside: its state, its
progress, its results.
"""

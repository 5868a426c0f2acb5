"""Certificates as jobs: the kind that is called ``prove``.

``task`` says what one job has to prove, ``stages`` what its units are about and the form of their
payloads and results, ``units`` works on one. ``planning`` makes a job and its next units whenever
one is completed, ``assembling`` puts the certificate together. ``kind`` is the kind itself.
"""

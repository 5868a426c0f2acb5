"""Certificates as jobs of kind ``prove``.

``task`` defines the claim and the units. ``job`` creates such jobs, works on them, and reads their
certificates.
"""

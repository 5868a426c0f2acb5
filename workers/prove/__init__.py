"""Certificates as jobs of kind ``prove``.

``task`` is the claim, and what the units are about. ``job`` makes such jobs, works on them, and
reads their certificates.
"""

"""Games between players of :mod:`c4core.players`, their files, and what their results mean."""

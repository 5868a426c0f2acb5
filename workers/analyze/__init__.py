"""Jobs of kind ``analyze``: ``job`` creates them from lines of input, ``units`` solves a unit."""

"""Jobs of kind ``analyze``: ``job`` creates them from lines of input, and solves their units."""

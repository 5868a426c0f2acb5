"""Jobs of kind ``analyze``: ``job`` makes them of lines of input, ``units`` works on a unit."""

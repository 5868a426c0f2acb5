"""``c4 bench``: measures how fast the solver is on this machine."""

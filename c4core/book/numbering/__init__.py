"""Numbers for the positions of a ply, so that scores are stored without keys."""

"""Training of the networks that order moves; the search does not need it."""

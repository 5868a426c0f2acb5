"""Training of order networks; the search does not need this package."""

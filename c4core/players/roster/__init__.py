"""One file per family of players. The players of all files are registered."""

"""One file for each family of players. The players of all files are registered."""

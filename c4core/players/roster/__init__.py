"""One file for each player or family of players. The players of all files are registered."""

"""One file for each player, or for a family of them. All files here are registered."""

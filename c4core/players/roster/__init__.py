"""One file for each player, or for a family of them. Whatever file is here is registered."""

"""``c4 show``: boards and games as pictures."""

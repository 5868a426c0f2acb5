"""``c4 play``: a game at the terminal.

``game`` has the game and its players, as values without a terminal. ``saved`` keeps a game in a
file and locks it against other processes. ``opponents`` gets moves from the computer's players and
exact scores from the solver.

``app`` runs the game in full screen with Textual. ``screen`` is the course of a game; ``board`` and
``panels`` are its widgets. ``plain`` plays line by line, without Textual. ``howto`` is the text
that both show.
"""

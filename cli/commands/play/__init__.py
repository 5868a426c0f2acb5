"""``c4 play``: a game at the terminal.

``game`` has the game and its players as immutable values, which do not use the terminal, and the
file that keeps a game. ``opponents`` gets moves from the computer's players and exact scores from
the solver.

``app`` runs the game in full screen with Textual. ``screen`` controls the game; ``board`` and
``panels`` are its widgets. ``plain`` plays line by line, without Textual.
"""

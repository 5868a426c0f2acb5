"""``c4 play``: a game at the terminal.

``game`` is the game itself and who plays it, values that know nothing of a terminal. ``saved``
keeps a game in a file, and other processes from playing it. ``opponents`` asks the computer's
players, and the solver for exact scores.

``app`` draws the game over the whole terminal with Textual. ``screen`` is the course of a game;
``board`` and ``panels`` are what is seen. ``plain`` plays line by line, without Textual. ``howto``
is the text that both show.
"""

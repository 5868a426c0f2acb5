"""``c4 play``: a game at the terminal.

``game`` is the game itself, a value that knows nothing of a terminal. ``seats`` says who plays it,
``saved`` keeps it in a file, and ``claim`` keeps others from playing that file. ``opponents`` asks
the computer's players, and ``scores`` asks the solver.

``app`` draws the game over the whole terminal with Textual. ``screen`` is the course of a game;
``board`` (with ``geometry`` and ``painting``), ``side``, ``dialogs`` and ``howto`` are what is
seen; ``driver`` writes to the terminal. ``plain`` plays line by line, and imports nothing of that.
"""

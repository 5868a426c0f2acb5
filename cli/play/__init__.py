"""``c4 play``: a game at the terminal.

``game`` is the game itself, a value that knows nothing of a terminal; ``seats`` says who plays it,
``saved`` keeps it in a file, ``opponents`` asks the computer's players and ``scores`` the solver,
in threads (``background``), with what they need (``supplies``).

``app`` draws it over the whole terminal with Textual: ``screen`` is the course of a game, ``board``
(with ``geometry`` and ``painting``), ``side`` and ``dialogs`` are what is seen. ``plain`` plays it
line by line, and imports nothing of that.
"""

"""Reviews of games: what every move was worth, and where the result changed.

``game`` reviews one game, ``many`` plans the search for many and reads what it has found,
``reviewed`` is what comes out.
"""

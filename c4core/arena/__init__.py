"""Games between players: the rules of a game, clocks, seeds, and what results mean.

``game.play_game`` plays one game between players of :mod:`c4core.players`; ``statistics`` judges
many.
"""

"""The results of the games since the program was started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.play.game import Game


@dataclass(frozen=True, slots=True)
class Tally:
    """Wins of both sides, and draws. It begins anew when other players sit down."""

    x: int = 0
    """Games that the first player won."""
    o: int = 0
    """Games that the second player won."""
    draws: int = 0
    """Games that nobody won."""

    def counting(self, game: Game) -> Tally:
        """These results and that of a game, if it is over."""
        if not game.is_over:
            return self
        winner = game.winner
        return Tally(
            self.x + (winner == "x"), self.o + (winner == "o"), self.draws + (winner is None)
        )

    def __str__(self) -> str:
        """``x 1, o 0, drawn 2``."""
        return f"x {self.x}, o {self.o}, drawn {self.draws}"

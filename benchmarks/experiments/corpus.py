"""Brewer 2017, as future work: a player that looks up stored games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.experiments.experiment import Experiment, Finding
from benchmarks.experiments.playing import made, play_both
from c4core.arena.game import play_game
from c4core.arena.seeds import game_seed
from c4core.players import FinalGrids
from c4core.players.roster.database_montecarlo import DatabaseMontecarlo
from cli.shell import signals

if TYPE_CHECKING:
    from c4core import Position

SIZES: Final = (0, 1_000, 10_000, 100_000)
CORPUS_SEED: Final = 2017


def _corpus(games: int, seed: int) -> Finding:
    opponent = made("set")
    finals: list[Position] = []
    rows, scores = [], []
    for size in SIZES:
        while len(finals) < size:
            signals.check()
            record = play_game(opponent, opponent, seed=game_seed(CORPUS_SEED, len(finals)))
            finals.append(record.final())
        grids = FinalGrids.from_positions(finals) if finals else None
        for playouts in (1, 500):
            player = DatabaseMontecarlo(playouts=playouts, final_games=grids)
            played = play_both(player, opponent, games, seed)
            scores.append((size, playouts, played))
            per_game = 1e3 * played.seconds / games
            rows.append(
                (
                    f"{size:,} games",
                    str(playouts),
                    played.text,
                    f"{played.results.wins / games:.1%}",
                    f"{per_game:.1f}",
                )
            )
    without, most = scores[1][2], scores[-1][2]
    found = (
        f"With {SIZES[-1]:,} games and 500 playouts the player won {most.results.wins} of "
        f"{games}, without any game {without.results.wins}. With one playout, which is no help, "
        f"it won {scores[-2][2].results.wins} and {scores[0][2].results.wins}."
    )
    headings = ("stored", "playouts where there are few", "won-lost-drawn", "won", "ms a game")
    return Finding(headings, tuple(rows), found)


EXPERIMENTS: Final = (
    Experiment(
        "corpus",
        "Brewer 2017: looking up stored games",
        "As future work: a player that finds the chance of winning with a column in the database "
        "of games, here games of `set` against itself, and plays against `set`. There are no "
        "numbers.",
        100,
        _corpus,
    ),
)

"""Players: every known way to choose a column.

Each player has a file in ``roster``. ``player`` defines what a player is, ``registry`` finds one by
its description, and ``parameters`` and ``values`` read and check what a description sets.
``external``, ``program`` and ``host`` are for programs as players; ``consent`` decides which of
them may be started.

>>> from c4core import Position
>>> from c4core.dice import Dice
>>> from c4core.players import parse_player
>>> parse_player("blog-v6:depth=2").make().choose(Position("2233"), Dice(1))
3
"""

from c4core.players.consent import ANY_PROGRAM, NO_PROGRAM, Consent
from c4core.players.errors import (
    Failing,
    PlayerError,
    PlayerFailure,
    ProgramRefusedError,
    StopPlaying,
)
from c4core.players.final_grids import FinalGrids
from c4core.players.levels import LEVELS
from c4core.players.parameters import Parameter
from c4core.players.player import NO_LIMITS, GameStart, Limits, Player, PlayerKind, PlayerSpec
from c4core.players.registry import parse_player, player_kinds, program_of
from c4core.players.resources import Analyst, FinalGames, Resources
from c4core.players.stopping import Stop

__all__ = [
    "ANY_PROGRAM",
    "LEVELS",
    "NO_LIMITS",
    "NO_PROGRAM",
    "Analyst",
    "Consent",
    "Failing",
    "FinalGames",
    "FinalGrids",
    "GameStart",
    "Limits",
    "Parameter",
    "Player",
    "PlayerError",
    "PlayerFailure",
    "PlayerKind",
    "PlayerSpec",
    "ProgramRefusedError",
    "Resources",
    "Stop",
    "StopPlaying",
    "parse_player",
    "player_kinds",
    "program_of",
]

"""Players, which choose a column in any position.

Each family of players has a file in ``roster``. ``player`` defines the interface of a player,
``registry`` finds a player by its description, and ``parameters`` reads and checks the parameters
in a description. ``roster/external`` runs other programs as players; one such program is ``host``,
which runs a user's Python code. The search algorithms are in ``minimax`` (with ``heuristics``),
``playouts`` and ``blog``; ``stopping`` has the stop signal that ends a search.

>>> from c4core import Position
>>> from c4core.dice import Dice
>>> from c4core.players import parse_player
>>> parse_player("blog-v6:depth=2").make().choose(Position("2233"), Dice(1))
3
"""

from c4core.players.errors import (
    Failing,
    PlayerError,
    PlayerFailure,
    ProgramRefusedError,
    StopPlaying,
)
from c4core.players.parameters import Parameter
from c4core.players.player import (
    ANY_PROGRAM,
    NO_LIMITS,
    NO_PROGRAM,
    Analyst,
    Consent,
    FinalGames,
    GameStart,
    Limits,
    Player,
    PlayerKind,
    PlayerSpec,
    Resources,
)
from c4core.players.registry import LEVELS, check_consent, parse_player, player_kinds, program_of
from c4core.players.roster.montecarlo import FinalGrids
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
    "check_consent",
    "parse_player",
    "player_kinds",
    "program_of",
]

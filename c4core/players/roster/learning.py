"""``learning-cnn``, ``-exact``, ``-selfplay``, ``-residual``, ``-tuples``: trained networks."""

from typing import Annotated

from c4core.learning.shipped import SHIPPED
from c4core.players.learning import EnginePlayer, LearningPlayer, SearchingPlayer
from c4core.players.parameters import FileName
from c4core.players.registry import player

_Shipped = Annotated[str, FileName(), "the model's file; shipped: the one that comes with c4"]


@player("learning-cnn", source="Brewer 2017")
class LearningCnn(LearningPlayer):
    """Plays what looks most like the end of a game that it has won, to a network."""

    learned = "cnn"


@player("learning-exact", source="this project, by exact labels")
class LearningExact(LearningPlayer):
    """Plays the column that a network trained on exact scores takes for best."""

    learned = "exact"


@player("learning-selfplay", source="Brewer 2017, as future work")
class LearningSelfplay(LearningPlayer):
    """Plays the column that a network trained by its own games values most."""

    learned = "selfplay"


@player("learning-residual", source="this project, by exact labels")
class LearningResidual(EnginePlayer):
    """Plays the column that a network which sees threats takes for best; needs no PyTorch."""

    model: _Shipped = SHIPPED
    learned = "residual"


@player("learning-tuples", source="Thill, Koch, Konen 2012")
class LearningTuples(EnginePlayer):
    """Plays by sums of table entries for tuples of squares, trained on exact scores; no PyTorch."""

    learned = "tuples"


@player("learning-residual-search", source="this project, by exact labels")
class LearningResidualSearch(SearchingPlayer):
    """Alpha-beta, some plies deep, by the values of the network of learning-residual."""

    model: _Shipped = SHIPPED
    learned = "residual"


@player("learning-tuples-search", source="Thill, Koch, Konen 2012")
class LearningTuplesSearch(SearchingPlayer):
    """Alpha-beta, some plies deep, by the values of the tables of learning-tuples."""

    learned = "tuples"

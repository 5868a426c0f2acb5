"""``learning-cnn``, ``learning-exact``, ``learning-selfplay``: trained networks."""

from c4core.players.learning import LearningPlayer
from c4core.players.registry import player


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

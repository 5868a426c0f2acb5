from c4core.inference.evaluator import Evaluator
from c4core.players.stopping import Stop
from c4core.position import Position

def search_column(
    model: Evaluator, position: Position, *, depth: int, stop: Stop | None = None
) -> tuple[int, float, int]: ...

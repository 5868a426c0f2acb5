from c4core.position import Position, Side

FEATURES_LIMIT: int

def winning_columns(position: Position, side: Side) -> tuple[int, ...]: ...
def heuristic_value(
    position: Position, side: Side, name: str, *, features: str = "1234"
) -> int: ...

from c4core.position import Position, Side

FEATURES_LIMIT: int

def heuristic_value(
    position: Position, side: Side, name: str, *, features: str = "1234"
) -> int: ...
def feature_bits(features: str) -> int: ...

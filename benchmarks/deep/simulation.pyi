from c4core.position import Position

def simulate(
    start: Position,
    *,
    workers: int,
    hosts: int = 1,
    table_mb: int = 64,
    exchange_nodes: int = 0,
    most_nodes: int | None = None,
) -> dict[str, int]: ...

"""Games between players of :mod:`c4core.players`: play, files, judged moves and statistics."""

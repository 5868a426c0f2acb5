from c4core.players.minimax import Found as Found
from c4core.players.minimax import minimax as minimax

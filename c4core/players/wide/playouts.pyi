from c4core.players.playouts import draw_positions as draw_positions
from c4core.players.playouts import flat_scores as flat_scores
from c4core.players.playouts import line_choice as line_choice
from c4core.players.playouts import run_playouts as run_playouts
from c4core.players.playouts import tally_columns as tally_columns
from c4core.players.playouts import timed_choice as timed_choice
from c4core.players.playouts import uct_statistics as uct_statistics

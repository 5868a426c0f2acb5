/** The positions of a stored game. */

import { parseBoard } from "../game/notation.js";
import { Position, playLine } from "../game/rules.js";
import { parseGrid } from "../game/setup.js";

/**
 * From the position that it began with on, as far as the moves can be played.
 * @param {{board: string, start_grid?: string, moves?: string}} game
 * @returns {Position[]}
 */
export function positionsOf({ board, start_grid: start, moves = "" }) {
  const empty = Position.empty(parseBoard(board) ?? { width: 7, height: 6 });
  return playLine(start ? parseGrid(start) : empty, moves).positions;
}

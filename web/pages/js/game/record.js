/** Games as the API takes them. */

import { boardText } from "./position.js";

/** @import {Api} from "../api.js" */
/** @import {PositionAnswer, Side} from "../types.js" */
/** @import {Position} from "./position.js" */
/**
 * A game of POST /api/v1/games and POST /api/v1/game; `start` is a position's key.
 * @typedef {{
 *   board: string, moves: string, start?: string, winner?: Side | null, ending?: string,
 *   first?: string, second?: string,
 * }} GameRecord
 */

/**
 * The record of the moves from a position. Only the server computes keys.
 * @param {Api} api @param {Position} start @param {string} moves @param {AbortSignal} [signal]
 * @returns {Promise<GameRecord>}
 */
export async function recordOf(api, start, moves, signal) {
  const board = boardText(start.size);
  if (start.ply === 0) return { board, moves };
  const question = { grid: start.gridText(), board, budget: 0 };
  /** @type {PositionAnswer} */
  const { key } = await api.get("/api/v1/position", question, signal);
  return { board, moves, start: key };
}

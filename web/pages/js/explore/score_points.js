/** What the graph of a game draws: the score for red after each move. */

/**
 * @param {Array<any>} judged the moves of GET /api/v1/game.
 * @returns {Array<import("../graph.js").Point>}
 */
export function pointsOf(judged) {
  const start = {
    shown: 0,
    score: judged.length ? forRed(judged[0].before, judged[0].side) : null,
    side: null,
    column: null,
    mark: "",
  };
  return [
    start,
    ...judged.map(({ side, column, mark, after }, index) => ({
      shown: index + 1,
      score: forRed(after, side),
      side,
      column,
      mark,
    })),
  ];
}

/** Scores of the API are for the side that moved. */
function forRed(score, side) {
  return score === null || side === "x" ? score : -score;
}

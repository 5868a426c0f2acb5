/** What a review says of moves: the words of their marks, and the score that the graph draws. */

const MARKS = Object.freeze({
  "??": "gives the result away",
  "?": "not the best",
  "!": "the only good move",
});

/** @param {string} mark "" for none */
export function markText(mark) {
  return MARKS[/** @type {keyof typeof MARKS} */ (mark)] ?? "";
}

/**
 * The score for red after each move, the start among them.
 * @param {any[]} judged the moves of GET /api/v1/game, whose scores are for the side that moved.
 * @returns {import("./graph.js").Point[]}
 */
export function pointsOf(judged) {
  const start = judged.length === 0 ? null : forRed(judged[0].before, judged[0].side);
  return [
    { shown: 0, score: start, side: null, column: null, mark: "" },
    ...judged.map(({ side, column, mark, after }, index) => ({
      shown: index + 1,
      score: forRed(after, side),
      side,
      column,
      mark,
    })),
  ];
}

/** @param {number | null} score @param {string} side */
function forRed(score, side) {
  return score === null || side === "x" ? score : -score;
}

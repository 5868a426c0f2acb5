/** Boards in the explorer: the page's one board component, and small pictures of it for tables. */

import { Board, positionAfter } from "../board/board.js";
import { draw } from "../dom.js";
import { EDGE, CELL, HOLE, drawStone } from "../board/shapes.js";

/**
 * A board that shows a position and can be played on.
 * @param {string} board such as "7x6".
 * @param {string} moves
 * @param {{label: string, onPlay?: (column: number) => void, best?: number[]}} options
 * @returns {Board}
 */
export function boardOf(board, moves, { label, onPlay = null, best = [] }) {
  const shown = new Board({ label, onPlay });
  shown.show(positionAfter(board, moves), { best });
  return shown;
}

/**
 * A small picture of a position. Fifty grids of cells that can be read one by one would drown a page
 * for whoever listens to it: this is a picture, and the row beside it says what matters.
 * @param {string} grid rows of x, o and dots, the top one first, between slashes.
 * @returns {SVGElement}
 */
export function drawn(grid) {
  const rows = grid.split("/");
  const [width, height] = [rows[0].length, rows.length];
  const [right, bottom] = [width * CELL + 2 * EDGE, height * CELL + 2 * EDGE];
  const cells = rows.flatMap((row, down) =>
    [...row].map((stone, across) => {
      const [x, y] = [EDGE + (across + 0.5) * CELL, EDGE + (down + 0.5) * CELL];
      return stone === "."
        ? draw("circle", { class: "board-back", cx: x, cy: y, r: HOLE })
        : drawStone(stone, x, y);
    }),
  );
  return draw(
    "svg",
    { class: "board miniature", viewBox: `0 0 ${right} ${bottom}`, "aria-hidden": "true" },
    draw("rect", { class: "board-face", x: 2, y: 2, width: right - 4, height: bottom - 4, rx: 34 }),
    cells,
  );
}

/** The stored positions: a filtered list in pages. */

import { drawMiniature } from "../board/board.js";
import { choice, make, table, textInput } from "../dom.js";
import { parseGrid } from "../game/grids.js";
import { NAMES } from "../game/position.js";
import { count, signed, valueOf, whole } from "../words.js";

/** @import {StoredPosition, StoredPositions} from "../types.js" */
/** @import {Page} from "./view.js" */

const PAGE_ROWS = 50;
const CONDITIONS = ["min_ply", "max_ply", "min_score", "max_score", "value", "exact", "cursor"];

/** @type {[string, string][]} */
const VALUES = [
  ["", "any"],
  ["win", "win"],
  ["draw", "draw"],
  ["loss", "loss"],
];

/** @type {[string, string][]} */
const PROOFS = [
  ["", "any"],
  ["true", "exact"],
  ["false", "bounds only"],
];

const HEADINGS = [
  "Position",
  { text: "Stones", right: true },
  "To move",
  { text: "Score", right: true },
  { text: "Moves to the end", right: true },
  "Best columns",
  { text: "Nodes", right: true, title: "Positions searched to prove it" },
];

/** @param {Page} page */
export async function showPositions(page) {
  const board = page.value("board") || "7x6";
  const number = (/** @type {string} */ name) => textInput(name, page.value(name), { size: 4, inputmode: "text" });
  page.body.append(
    page.form("Show", [
      ["Board", textInput("board", board, { size: 5, inputmode: "text" })],
      ["Stones from", number("min_ply")],
      ["to", number("max_ply")],
      ["Score from", number("min_score")],
      ["to", number("max_score")],
      ["Value", choice("value", VALUES, page.value("value"))],
      ["Proof", choice("exact", PROOFS, page.value("exact"))],
    ]),
  );
  const conditions = Object.fromEntries(CONDITIONS.map((name) => [name, page.value(name)]));
  /** @type {StoredPositions} */
  const { rows, next } = await page.get("/api/v1/evaluations", { ...conditions, board, limit: PAGE_ROWS });
  const empty = "No stored positions match.";
  page.body.append(table("Stored positions", HEADINGS, rows.map(row), { empty }), page.paging(next) ?? "");
  page.announce(count(rows.length, "position"));
}

/** @param {StoredPosition} stored */
function row({ key, ply, side, score, lower, upper, plies, best, nodes, board, grid }) {
  const position = parseGrid(grid);
  const href = `/?grid=${position.gridText()}&board=${board}`;
  const label = `Analyse the position ${key}, ${count(ply, "stone")}`;
  const text = score === null ? `${signed(lower)} to ${signed(upper)}` : signed(score);
  return [
    make("a", { href, "aria-label": label }, drawMiniature(position)),
    ply,
    NAMES[side],
    make("span", { class: `score ${valueOf(score)}` }, text),
    whole(plies),
    best === null || best.length === 0 ? "–" : best.join(", "),
    whole(nodes),
  ];
}

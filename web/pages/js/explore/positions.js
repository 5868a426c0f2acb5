/** The positions that are stored: a query with conditions, page by page. */

import { make } from "../dom.js";
import { choice, field, table } from "./parts.js";
import { drawn } from "./miniature.js";
import { NAMES } from "../game/notation.js";
import { asked, filter, paging } from "./paging.js";
import { count, outcome, scoreOrBounds, whole } from "./wording.js";

const CONDITIONS = [
  "board",
  "min_ply",
  "max_ply",
  "min_score",
  "max_score",
  "value",
  "exact",
  "cursor",
];
const PAGE_ROWS = 50;
const VALUES = [
  ["", "any"],
  ["win", "win"],
  ["draw", "draw"],
  ["loss", "loss"],
];
const EXACT = [
  ["", "any"],
  ["true", "exact"],
  ["false", "bounds only"],
];

/** @param {import("./view.js").Page} page */
export async function showPositions(page) {
  page.body.append(conditions(page));
  const query = asked(page, ...CONDITIONS);
  query.board ||= "7x6";
  const { rows, next } = await page.get("/api/v1/evaluations", { ...query, limit: PAGE_ROWS });
  page.body.append(
    table(
      "Stored positions",
      [
        "Position",
        { text: "Stones", right: true },
        "To move",
        { text: "Score", right: true },
        { text: "Plies to the end", right: true },
        "Best columns",
        { text: "Nodes", right: true, title: "Positions searched to prove it" },
      ],
      rows.map(row),
      { empty: "No stored position meets these conditions." },
    ),
    paging(page, next) ?? "",
  );
  page.announce(count(rows.length, "position"));
}

function conditions(page) {
  const text = (name, size = 4) =>
    make("input", {
      name,
      size,
      value: page.query.get(name) || "",
      inputmode: "text",
      autocomplete: "off",
      spellcheck: "false",
    });
  const board = text("board", 5);
  board.value ||= "7x6";
  return filter(
    page,
    "positions",
    field("Board", board),
    field("Stones from", text("min_ply")),
    field("to", text("max_ply")),
    field("Score from", text("min_score")),
    field("to", text("max_score")),
    field("Value", choice("value", VALUES, page.query.get("value") || "")),
    field("Proof", choice("exact", EXACT, page.query.get("exact") || "")),
  );
}

function row(stored) {
  const grid = stored.grid.trim().split(/\s+/).join("/");
  const label = `Analyse the position ${stored.key}, ${count(stored.ply, "stone")}`;
  return [
    make("a", { href: `/?grid=${grid}&board=${stored.board}`, "aria-label": label }, drawn(grid)),
    stored.ply,
    NAMES[stored.side],
    make("span", { class: `score ${outcome(stored.score)}` }, scoreOrBounds(stored)),
    stored.plies === null ? "–" : whole(stored.plies),
    stored.best?.length ? stored.best.join(", ") : "–",
    whole(stored.nodes),
  ];
}

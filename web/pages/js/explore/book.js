/** The book as a tree: a position, its continuations with scores and counts, and the way there. */

import { NAMES } from "../game/notation.js";
import { sideAt } from "../game/rules.js";
import { make } from "../dom.js";
import { field, table } from "./parts.js";
import { boardOf } from "./miniature.js";
import { count, signed, outcome, verdict, whole } from "./wording.js";

/** @param {import("./view.js").Page} page */
export async function showBook(page) {
  const board = page.query.get("board") || "7x6";
  const moves = page.query.get("moves") || "";
  const tree = await page.get("/api/v1/book", { moves, board });
  const best = bestScore(tree.children);
  page.body.replaceChildren(
    header(page, board, moves),
    crumbs(page, board, moves),
    make(
      "div",
      { class: "book" },
      make(
        "div",
        { class: "book-board" },
        boardOf(board, moves, {
          label: `Position after ${moves || "no moves"}`,
          onPlay: (column) => playColumn(page, tree, column),
          best:
            best === null
              ? []
              : tree.children.filter((child) => child.score === best).map((child) => child.column),
        }).element,
        summary(tree, moves, board),
      ),
      make(
        "div",
        { class: "book-tree" },
        tree.book ? continuations(page, tree, best) : missing(board),
      ),
    ),
  );
  page.announce(
    tree.book ? count(tree.children.length, "continuation") : "No book for this position",
  );
}

/** The form that goes to any position of any board. */
function header(page, board, moves) {
  const text = make("input", {
    name: "moves",
    value: moves,
    inputmode: "numeric",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "4453",
  });
  const size = make("input", {
    name: "board",
    value: board,
    size: 5,
    autocomplete: "off",
    spellcheck: "false",
    pattern: "\\d+x\\d+",
    placeholder: "7x6",
  });
  const go = (event) => {
    event.preventDefault();
    page.go({ show: "book", moves: text.value.trim(), board: size.value.trim() });
  };
  return make(
    "form",
    { class: "filter", onsubmit: go },
    field("Moves", text),
    field("Board", size),
    make("button", { type: "submit", class: "plain" }, "Go"),
  );
}

function crumbs(page, board, moves) {
  const steps = [...moves];
  const items = ["Start", ...steps].map((step, index) => {
    const here = index === steps.length;
    const label = index ? `${index}. column ${step}` : "Start";
    const href = page.link({ show: "book", moves: moves.slice(0, index), board });
    return make(
      "li",
      {},
      here
        ? make("span", { "aria-current": "page", "aria-label": label }, step)
        : make("a", { href, "aria-label": label }, step),
    );
  });
  return make(
    "nav",
    { class: "crumbs", "aria-label": "Moves to this position" },
    make("ol", {}, items),
  );
}

function summary(tree, moves, board) {
  const known = tree.score !== null && tree.score !== undefined;
  const side = NAMES[sideAt(moves.length)];
  return make(
    "div",
    { class: "book-summary" },
    make(
      "p",
      { class: `score-line ${outcome(tree.score)}` },
      known
        ? `Score ${signed(tree.score)} for ${side}, who is to move`
        : `${side} to move; the score is not in the book`,
    ),
    make(
      "p",
      {},
      make(
        "a",
        { href: `/?pos=${encodeURIComponent(moves)}&board=${board}` },
        "Analyse this position",
      ),
    ),
  );
}

function continuations(page, tree, best) {
  const most = Math.max(1, ...tree.children.map((child) => child.continuations ?? 0));
  const rows = [...tree.children].sort(byScore).map((child) => {
    const isBest = child.score !== null && child.score === best;
    return [
      make(
        "a",
        { href: childLink(page, tree, child), class: "column-link", "data-child": child.column },
        `Column ${child.column}`,
      ),
      make(
        "span",
        { class: `score ${outcome(child.score)}` },
        isBest ? make("span", { class: "best-mark", "aria-hidden": "true" }, "★ ") : "",
        signed(child.score),
        isBest ? make("span", { class: "unseen" }, ", best") : "",
      ),
      verdict(child.score, child.plies),
      make(
        "span",
        { class: "counted" },
        make("span", {}, whole(child.continuations)),
        share(child.continuations, most),
      ),
    ];
  });
  const { name, plies, positions } = tree.book;
  return make(
    "div",
    {},
    table(
      `Moves of ${NAMES[tree.side]}`,
      [
        "Column",
        { text: "Score", right: true },
        "Result",
        {
          text: counted(tree),
          title: "Different positions of the book that can follow; mirror images count once",
        },
      ],
      rows,
      { empty: "The book ends here: no continuation is in it." },
    ),
    make(
      "p",
      { class: "quiet" },
      `${name}: ${count(positions, "position")}, complete to ${count(plies, "stone")}.`,
    ),
  );
}

function counted({ counted_ply: ply }) {
  return ply === null || ply === undefined
    ? "Positions below"
    : `Positions at ${count(ply, "stone")}`;
}

/** How many positions lie below, beside the most of all continuations. */
function share(number, most) {
  // The page's rules forbid style attributes, so the length is an attribute that needs none.
  return number
    ? make("progress", { class: "share", max: most, value: number, "aria-hidden": "true" })
    : "";
}

function missing(board) {
  return make(
    "p",
    { class: "failure" },
    `No book has this position. A book of ${board} that the server is told of with --book would be shown here; `,
    make("code", {}, `c4 book build --board ${board}`),
    " makes one.",
  );
}

function childLink(page, tree, child) {
  return page.link({ show: "book", moves: child.moves, board: tree.board });
}

/** A click on the board goes where the row of that column does. */
function playColumn(page, tree, column) {
  const child = tree.children.find((one) => one.column === column);
  if (child) page.go({ show: "book", moves: child.moves, board: tree.board });
}

function bestScore(children) {
  const known = children
    .map((child) => child.score)
    .filter((score) => score !== null && score !== undefined);
  return known.length ? Math.max(...known) : null;
}

function byScore(one, other) {
  return (other.score ?? -99) - (one.score ?? -99) || one.column - other.column;
}

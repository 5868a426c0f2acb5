/** The book as a tree: a position, its moves with scores and counts, and the moves before it. */

import { ApiError } from "../api.js";
import { Board } from "../board/board.js";
import { make, table, textInput } from "../dom.js";
import { NAMES, positionAfter, sideAt } from "../game/position.js";
import { count, nameOf, outcomeText, percent, signed, valueOf, whole } from "../words.js";

/** @import {BookMove, BookPosition, Openings} from "../types.js" */
/** @import {Page} from "./view.js" */

/** @param {Page} page */
export async function showBook(page) {
  const board = page.value("board") || "7x6";
  const moves = page.value("moves");
  /** @type {BookPosition} */
  const tree = await page.get("/api/v1/book", { moves, board });
  const played = await openings(page, tree, moves);
  const { book } = tree;
  const scores = tree.children.flatMap(({ score }) => (score === null ? [] : [score]));
  const best = scores.length === 0 ? null : Math.max(...scores);
  page.body.replaceChildren(
    page.form("Go", [
      ["Moves", textInput("moves", moves, { inputmode: "numeric", placeholder: "4453" })],
      ["Board", textInput("board", board, { size: 5, pattern: "\\d+x\\d+", placeholder: "7x6" })],
    ]),
    crumbs(page, board, moves),
    make(
      "div",
      { class: "book" },
      make("div", { class: "book-board" }, drawBoard(page, tree, moves, best), summary(tree, moves)),
      make("div", { class: "book-tree" }, book === null ? missing(board) : continuations(page, tree, book, best), played),
    ),
  );
  page.announce(book === null ? "No book for this position" : count(tree.children.length, "continuation"));
}

/**
 * What players chose here in stored games; null if there are none, or the server has no database.
 * @param {Page} page @param {BookPosition} tree @param {string} moves
 */
async function openings(page, { board, children }, moves) {
  /** @type {Openings} */
  const { games, columns } = await page.get("/api/v1/openings", { moves, board }).catch((error) => {
    if (error instanceof ApiError && !error.isFinal) return { games: 0, columns: [] };
    throw error;
  });
  if (games === 0) return null;
  const share = (/** @type {number} */ part) => percent(part / games, 0);
  const rows = columns.map(({ column, games: number, wins, draws, losses, players }) => [
    `Column ${column}`,
    signed(children.find((child) => child.column === column)?.score ?? null),
    `${whole(number)} (${share(number)})`,
    `${whole(wins)} / ${whole(draws)} / ${whole(losses)}`,
    make("span", { class: "played-by" }, players.map(playedBy)),
  ]);
  const score = { text: "Score", right: true };
  const headings = ["Column", score, { text: "Games", right: true }, { text: "Won / drawn / lost", right: true }, "Players"];
  return table(`Played in ${count(games, "stored game")}`, headings, rows);
}

/** @param {{player: string, games: number}} counted */
function playedBy({ player, games }) {
  return make("span", { title: player }, `${nameOf(player)} ${whole(games)}`);
}

/** @param {Page} page @param {BookPosition} tree @param {string} moves @param {number | null} best */
function drawBoard(page, tree, moves, best) {
  const board = new Board({
    label: `Position after ${moves || "no moves"}`,
    onPlay: (column) => {
      const child = tree.children.find((one) => one.column === column);
      if (child !== undefined) page.go({ show: "book", moves: child.moves, board: tree.board });
    },
  });
  const isBest = (/** @type {BookMove} */ child) => child.score !== null && child.score === best;
  board.show(positionAfter(tree.board, moves), { best: tree.children.filter(isBest).map(({ column }) => column) });
  return board.element;
}

/** @param {Page} page @param {string} board @param {string} moves */
function crumbs(page, board, moves) {
  const items = ["Start", ...moves].map((step, index) => {
    const label = index === 0 ? "Start" : `${index}. column ${step}`;
    const href = page.link({ show: "book", moves: moves.slice(0, index), board });
    const isHere = index === moves.length;
    const attributes = { "aria-label": label, ...(isHere ? { "aria-current": "page" } : { href }) };
    return make("li", {}, make(isHere ? "span" : "a", attributes, step));
  });
  return make("nav", { class: "crumbs", "aria-label": "Moves to this position" }, make("ol", {}, items));
}

/** @param {BookPosition} tree @param {string} moves */
function summary({ score, board }, moves) {
  const side = NAMES[sideAt(moves.length)];
  const words =
    score === null
      ? `${side} to move; the score is not in the book`
      : `Score ${signed(score)} for ${side}, to move`;
  const href = `/?pos=${encodeURIComponent(moves)}&board=${board}`;
  return make(
    "div",
    { class: "book-summary" },
    make("p", { class: `score-line ${valueOf(score)}` }, words),
    make("p", {}, make("a", { href }, "Analyse this position")),
  );
}

/**
 * @param {Page} page @param {BookPosition} tree @param {NonNullable<BookPosition["book"]>} book
 * @param {number | null} best
 */
function continuations(page, tree, book, best) {
  const most = Math.max(1, ...tree.children.map((child) => child.continuations));
  const order = (/** @type {BookMove} */ child) => child.score ?? -99;
  const rows = [...tree.children]
    .sort((one, other) => order(other) - order(one) || one.column - other.column)
    .map((child) => row(page, tree, child, best, most));
  const title = "Number of different positions of the book that can follow; mirror images count once";
  const counted = tree.counted_ply === null ? "Positions below" : `Positions at ${count(tree.counted_ply, "stone")}`;
  const headings = ["Column", { text: "Score", right: true }, "Result", { text: counted, title }];
  const empty = "The book ends here.";
  const about = `${book.name}: ${count(book.positions, "position")}, complete to ${count(book.plies, "stone")}.`;
  return make(
    "div",
    {},
    table(`Moves of ${NAMES[tree.side]}`, headings, rows, { empty }),
    make("p", { class: "quiet" }, about),
  );
}

/**
 * @param {Page} page @param {BookPosition} tree @param {BookMove} child
 * @param {number | null} best the best score @param {number} most the largest number of continuations
 */
function row(page, tree, child, best, most) {
  const { column, score, plies, continuations: number } = child;
  const href = page.link({ show: "book", moves: child.moves, board: tree.board });
  const isBest = score !== null && score === best;
  const value = valueOf(score);
  // The Content-Security-Policy forbids style attributes; a progress bar needs none.
  const share = number > 0 && make("progress", { class: "share", max: most, value: number, "aria-hidden": "true" });
  return [
    make("a", { href, class: "column-link", "data-child": column }, `Column ${column}`),
    make(
      "span",
      { class: `score ${value}` },
      isBest && make("span", { class: "best-mark", "aria-hidden": "true" }, "★ "),
      signed(score),
      isBest && make("span", { class: "unseen" }, ", best"),
    ),
    outcomeText({ value, plies }),
    make("span", { class: "counted" }, make("span", {}, whole(number)), share),
  ];
}

/** @param {string} board */
function missing(board) {
  return make(
    "p",
    { class: "failure" },
    `No book has this position. To use a book for ${board}, start the server with --book FILE. Build one with `,
    make("code", {}, `c4 book build --board ${board}`),
    ".",
  );
}

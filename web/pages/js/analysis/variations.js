/**
 * The list of moves: a tree of variations from one start. A line that is left for another one stays, until it is
 * deleted or another start is set up. A variation follows the move that it replaces, and may have variations itself.
 */

import { recordOf } from "../api.js";
import { button, byId, field, make, setAttribute, textInput } from "../dom.js";
import { NAMES, boardText, columnLabel, columnNumber, playLine, sideAt } from "../game/position.js";
import { keepSetting, readSetting } from "../storage.js";
import { count, markText, messageOf } from "../words.js";

/** @import {Api} from "../api.js" */
/** @import {Reason, Session} from "../game/session.js" */
/** @import {Mark} from "../types.js" */
/** @typedef {{moves: string, comment: string}} Line the comment is about the last move */
/** @typedef {Line & {replies: Node[]}} Node a position of the tree; the first reply continues the main line */

const SETTING = "variations";

/** Maximum number of lines that are taken from a file. */
const MOST_OPENED = 100;

export class Variations {
  #session;
  #api;
  #element = byId("variations", HTMLDetailsElement);
  #list = byId("moves");
  #comment = textInput("comment", "");
  #promote = button("Promote", () => this.#lift(), { id: "variation-promote" });
  #delete = button("Delete from here", () => this.#remove(), { id: "variation-delete" });
  #note = make("p", { class: "quiet", role: "status" });
  #file = make("input", { type: "file", accept: ".jsonl", hidden: true });
  /** The board and the position that all lines begin from. */
  #start = "";
  /**
   * The ends of variations, and moves with a comment. A reply in an earlier line comes before the other replies.
   * @type {Line[]}
   */
  #lines = [];
  /** The state that the list shows. It is rebuilt only if this changes, so that its buttons keep the focus. */
  #drawn = "";

  /** @param {Session} session @param {Api} api */
  constructor(session, api) {
    this.#session = session;
    this.#api = api;
    const save = button("Save", () => void this.#save(), { id: "variations-save" });
    const open = button("Open a file", () => this.#file.click(), { id: "variations-open" });
    this.#file.addEventListener("change", () => void this.#open());
    this.#comment.addEventListener("change", () => this.#write());
    const buttons = make("div", { class: "buttons" }, this.#promote, this.#delete, save, open, this.#file);
    const comment = field("Comment on the move", this.#comment);
    this.#element.append(make("summary", {}, "Variations and comments"), comment, buttons, this.#note);
  }

  /** @param {Reason} why @param {Map<number, Mark>} marks the marks of the reviewed game's moves, by their index */
  show(why, marks) {
    const { view, board, grid, line, review } = this.#session.state;
    const { moves } = this.#session;
    const isPlay = view === "play";
    this.#element.hidden = isPlay;
    const start = JSON.stringify([boardText(board), grid]);
    if (start !== this.#start || why === "setup") {
      const stored = readSetting(SETTING, { start: "", lines: /** @type {Line[]} */ ([]) });
      const isKnown = stored.start === start && stored.lines.some((one) => one.moves.startsWith(moves));
      this.#lines = isKnown && why !== "setup" ? stored.lines : [];
      this.#start = start;
      if (this.#lines.length === 0 && !isPlay) this.#add({ moves: line, comment: "" });
    }
    if (!isPlay) {
      // The rest of a line that was only looked at, such as best play, is not kept.
      this.#add({ moves, comment: "" });
      if (review !== null) {
        this.#add({ moves: review, comment: "" });
        this.#lines = this.#divided(review).flat();
      }
      keepSetting(SETTING, { start: this.#start, lines: this.#lines });
      this.#showTools();
    }
    this.#draw(isPlay ? [{ moves: line, comment: "" }] : this.#lines, marks);
  }

  /** @param {Line} line */
  #add({ moves, comment }) {
    const same = this.#lines.find((one) => one.moves === moves);
    if (same !== undefined) same.comment ||= comment;
    else if (comment !== "" || !this.#lines.some((one) => one.moves.startsWith(moves))) {
      const place = this.#lines.findIndex((one) => one.comment === "" && moves.startsWith(one.moves));
      if (place >= 0) this.#lines[place] = { moves, comment };
      else this.#lines.push({ moves, comment });
    }
  }

  /** @param {Line[]} lines */
  #change(lines) {
    this.#lines = lines;
    this.#session.change({});
  }

  #write() {
    const { moves } = this.#session;
    const others = this.#lines.filter((one) => one.moves !== moves);
    const place = this.#lines.findIndex((one) => one.moves.startsWith(moves));
    const isInside = others.some((one) => one.moves.startsWith(moves));
    const comment = this.#comment.value.trim();
    if (comment !== "" || !isInside) others.splice(place, 0, { moves, comment });
    this.#change(others);
  }

  /** The nearest place before the current position where another move is the main one: the moves to there; or "". */
  get #branch() {
    const { moves } = this.#session;
    for (let length = moves.length; length > 0; length -= 1) {
      const before = moves.slice(0, length - 1);
      const main = this.#lines.find((one) => one.moves.length >= length && one.moves.startsWith(before));
      if (main?.moves[length - 1] !== moves[length - 1]) return moves.slice(0, length);
    }
    return "";
  }

  #lift() {
    const moves = this.#branch;
    if (moves === "") return;
    const [lifted, others] = this.#divided(moves);
    const place = others.findIndex((one) => one.moves.startsWith(moves.slice(0, -1)));
    this.#change(others.toSpliced(place, 0, ...lifted));
  }

  #remove() {
    const { moves } = this.#session;
    if (this.#delete.getAttribute("aria-disabled") === "true") return;
    const [, others] = this.#divided(moves);
    const place = this.#lines.findIndex((one) => one.moves.startsWith(moves));
    const before = moves.slice(0, -1);
    if (!others.some((one) => one.moves.startsWith(before))) others.splice(place, 0, { moves: before, comment: "" });
    this.#lines = others;
    this.#session.follow(before, before.length);
  }

  /** @param {string} moves @returns {[Line[], Line[]]} the lines that begin with the moves, and the others */
  #divided(moves) {
    const isIn = (/** @type {Line} */ one) => one.moves.startsWith(moves);
    return [this.#lines.filter(isIn), this.#lines.filter((one) => !isIn(one))];
  }

  #showTools() {
    const { moves, state } = this.#session;
    if (this.#comment.dataset.moves !== moves || document.activeElement !== this.#comment) {
      this.#comment.dataset.moves = moves;
      this.#comment.value = this.#lines.find((one) => one.moves === moves)?.comment ?? "";
    }
    this.#comment.disabled = moves === "";
    this.#promote.setAttribute("aria-disabled", String(this.#branch === ""));
    this.#delete.setAttribute("aria-disabled", String(moves === "" || state.review?.startsWith(moves) === true));
  }

  /** @param {Line[]} lines @param {Map<number, Mark>} marks */
  #draw(lines, marks) {
    const { review } = this.#session.state;
    const wanted = JSON.stringify([this.#start, lines, review, [...marks]]);
    if (wanted !== this.#drawn) {
      this.#drawn = wanted;
      const isMarked = (/** @type {string} */ moves) => review?.startsWith(moves) === true;
      const mark = (/** @type {string} */ moves) => (isMarked(moves) ? marks.get(moves.length - 1) : undefined) ?? "";
      this.#list.replaceChildren(...this.#rows(treeOf(lines), mark));
    }
    byId("moves-empty").hidden = this.#list.firstChild !== null;
    this.#point();
  }

  /** Mark the current move, and scroll to it. */
  #point() {
    const { moves } = this.#session;
    for (const one of this.#list.querySelectorAll("button")) {
      setAttribute(one, "aria-current", one.dataset.moves === moves ? "step" : null);
    }
    const current = this.#list.querySelector("[aria-current]");
    // scrollIntoView() would scroll the entire page on a phone.
    if (moves === "") this.#list.scrollTop = 0;
    else if (current instanceof HTMLElement) {
      this.#list.scrollTop = Math.max(0, current.offsetTop - this.#list.clientHeight / 2);
    }
  }

  /**
   * The rows of the moves after a position: two moves each, then their variations.
   * @param {Pick<Node, "replies">} from @param {(moves: string) => Mark} mark
   * @returns {HTMLElement[]}
   */
  #rows(from, mark) {
    const rows = [];
    let isBroken = true;
    for (let [main, ...others] = from.replies; main !== undefined; [main, ...others] = main.replies) {
      const ply = this.#session.positions[0].ply + main.moves.length - 1;
      if (isBroken || ply % 2 === 0) {
        const number = make("span", { class: "move-number", "aria-hidden": "true" }, ply - (ply % 2) + 1);
        rows.push(make("li", {}, number, ply % 2 === 1 && make("span", { class: "move-gap" }, "…")));
      }
      rows[rows.length - 1].append(this.#button(main.moves, ply, mark(main.moves)));
      isBroken = main.comment !== "" || others.length > 0;
      if (main.comment !== "") rows.push(make("li", { class: "move-comment" }, main.comment));
      for (const other of others) {
        rows.push(make("li", { class: "variation" }, make("ol", {}, this.#rows({ replies: [other] }, mark))));
      }
    }
    return rows;
  }

  /** @param {string} moves @param {number} ply @param {Mark} mark */
  #button(moves, ply, mark) {
    const side = sideAt(ply);
    const column = columnNumber(moves[moves.length - 1]);
    return make(
      "button",
      {
        type: "button",
        class: `move ${side}`,
        "data-moves": moves,
        "data-shown": moves.length,
        "data-mark": mark === "" ? null : mark,
        "aria-label": `Move ${ply + 1}: ${NAMES[side]}, column ${column}${mark === "" ? "" : `, ${markText(mark)}`}`,
        onclick: () => this.#show(moves),
      },
      columnLabel(column),
      mark !== "" && make("span", { class: "mark" }, mark),
    );
  }

  /** Show the position after some moves; the line continues with the main replies. @param {string} moves */
  #show(moves) {
    const { line } = this.#session.state;
    if (line.startsWith(moves)) return this.#session.go(moves.length);
    let end = moves;
    for (let next = this.#after(end); next !== undefined; next = this.#after(end)) end = next;
    this.#session.follow(end, moves.length);
  }

  /** @param {string} moves @returns {string | undefined} the moves with the main reply */
  #after(moves) {
    const line = this.#lines.find((one) => one.moves.length > moves.length && one.moves.startsWith(moves));
    return line?.moves.slice(0, moves.length + 1);
  }

  /** Save all lines as a file of games, with the comments as details. */
  async #save() {
    const start = this.#session.positions[0];
    try {
      const lines = await Promise.all(
        this.#lines.map(async ({ moves, comment }) => {
          const record = await recordOf(this.#api, start, moves);
          const isOver = playLine(start, moves).positions.at(-1)?.isOver;
          const ending = isOver ? undefined : "unfinished";
          return `${JSON.stringify({ ...record, ending, detail: comment || undefined })}\n`;
        }),
      );
      const href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
      make("a", { href, download: "variations.jsonl" }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000);
    } catch (error) {
      this.#note.textContent = messageOf(error);
    }
  }

  /** Add the lines of a file that begin from the same position. */
  async #open() {
    const text = (await this.#file.files?.[0]?.text()) ?? "";
    this.#file.value = "";
    const [first] = this.#session.positions;
    const { start = "", board } = await recordOf(this.#api, first, "");
    let added = 0;
    for (const row of text.split("\n")) {
      try {
        const game = JSON.parse(row);
        const isHere = (game.board ?? board) === board && String(game.start ?? "") === start && added < MOST_OPENED;
        if (!isHere || playLine(first, game.moves).error !== null) continue;
        this.#add({ moves: game.moves, comment: String(game.detail ?? "") });
        added += 1;
      } catch {
        // Not a line of a game file.
      }
    }
    this.#note.textContent = `${count(added, "line")} from this position found in the file.`;
    this.#session.change({});
  }
}

/** @param {Line[]} lines @returns {Node} */
function treeOf(lines) {
  /** @type {Node} */
  const root = { moves: "", comment: "", replies: [] };
  for (const { moves, comment } of lines) {
    let node = root;
    for (let length = 1; length <= moves.length; length += 1) {
      const path = moves.slice(0, length);
      const found = node.replies.find((one) => one.moves === path) ?? { moves: path, comment: "", replies: [] };
      if (!node.replies.includes(found)) node.replies.push(found);
      node = found;
    }
    node.comment ||= comment;
  }
  return root;
}

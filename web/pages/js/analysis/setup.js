/** The dialog that sets up a position: the size of the board, and moves or a grid. */

import { button, byId, make } from "../dom.js";
import { GridError, lineTo, parseGrid } from "../game/grids.js";
import { COMMON_BOARDS, Position, boardProblem, boardText, parseBoard, playLine } from "../game/position.js";
import { readMoves } from "../game/session.js";

/** @import {Session} from "../game/session.js" */

export class SetupDialog {
  #session;
  #dialog = byId("setup", HTMLDialogElement);
  #board = make("select", { id: "setup-board", onchange: () => this.#takeBoard() });
  #width = make("input", { id: "setup-width", type: "number", min: 1, max: 32, oninput: () => this.#takeSize() });
  #height = make("input", { id: "setup-height", type: "number", min: 1, max: 19, oninput: () => this.#takeSize() });
  #moves = make("input", {
    id: "setup-moves",
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "4453",
    "aria-describedby": "setup-moves-about",
  });
  #grid = make("textarea", {
    id: "setup-grid",
    rows: 7,
    spellcheck: "false",
    placeholder: ".......\n.......\n.......\n.......\n...o...\n..oxx..",
    "aria-describedby": "setup-grid-about",
  });
  #error = make("p", { id: "setup-error", class: "failure", role: "alert" });

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    this.#board.append(...COMMON_BOARDS.map((text) => make("option", { value: text }, text.replace("x", " × "))));
    this.#board.append(make("option", { value: "" }, "other"));
    this.#dialog.append(this.#form());
    byId("open-setup").addEventListener("click", () => this.open());
  }

  /** Open the dialog with the position on the board. */
  open() {
    const { state, position, moves } = this.#session;
    this.#width.value = String(state.board.width);
    this.#height.value = String(state.board.height);
    this.#takeSize();
    this.#moves.value = state.grid === null ? moves : "";
    this.#grid.value = state.grid === null ? "" : position.gridText().replaceAll("/", "\n");
    this.#error.textContent = "";
    this.#dialog.showModal();
    this.#moves.focus();
    this.#moves.select();
  }

  #form() {
    const onsubmit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      this.#apply();
    };
    return make(
      "form",
      { method: "dialog", onsubmit },
      make("h2", { id: "setup-title" }, "Set up a position"),
      make(
        "div",
        { class: "setup-size" },
        labelled("Board", this.#board),
        labelled("Columns", this.#width),
        make("span", { "aria-hidden": "true" }, "×"),
        labelled("Rows", this.#height),
      ),
      labelled("Moves", this.#moves),
      about("setup-moves-about", "The columns in the order of the moves. Columns count from 1; a is the tenth."),
      labelled("Or a grid", this.#grid),
      about(
        "setup-grid-about",
        "x is red and moved first, o is yellow, a dot is empty; the top row comes first. The grid sets the size.",
      ),
      this.#error,
      make(
        "div",
        { class: "buttons" },
        make("button", { type: "submit", id: "setup-apply", class: "main" }, "Set up"),
        button("Cancel", () => this.#dialog.close(), { id: "setup-cancel" }),
      ),
    );
  }

  #takeBoard() {
    const size = parseBoard(this.#board.value);
    if (size === null) {
      this.#width.focus();
      return;
    }
    this.#width.value = String(size.width);
    this.#height.value = String(size.height);
  }

  #takeSize() {
    const text = boardText(this.#size());
    this.#board.value = COMMON_BOARDS.includes(text) ? text : "";
  }

  #size() {
    return { width: Number(this.#width.value), height: Number(this.#height.value) };
  }

  #apply() {
    try {
      if (this.#grid.value.trim() !== "") this.#applyGrid();
      else this.#applyMoves();
      this.#dialog.close();
    } catch (error) {
      if (!(error instanceof GridError)) throw error;
      this.#error.textContent = error.message;
    }
  }

  #applyMoves() {
    const size = this.#size();
    const line = readMoves(this.#moves.value);
    const problem = boardProblem(size) ?? playLine(Position.empty(size), line).error;
    if (problem !== null) throw new GridError(problem);
    this.#session.setUp({ size, line });
  }

  /** Apply the grid: as moves if a game leads to it, so that the user can step through it and link to it. */
  #applyGrid() {
    const position = parseGrid(this.#grid.value);
    const line = lineTo(position);
    if (line === null) this.#session.setUp({ start: position });
    else this.#session.setUp({ size: position.size, line });
  }
}

/** @param {string} id @param {string} text */
function about(id, text) {
  return make("p", { id, class: "quiet" }, text);
}

/** @param {string} text @param {HTMLElement} field */
function labelled(text, field) {
  return make("div", { class: "labelled" }, make("label", { for: field.id }, text), field);
}

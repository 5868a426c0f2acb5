/** The dialog that sets up a position: a board's size, and moves or a grid. */

import { byId, make } from "./dom.js";
import { COMMON_BOARDS, boardProblem, boardText, parseBoard } from "./game/notation.js";
import { Position, playLine } from "./game/rules.js";
import { SetupError, lineTo, parseGrid } from "./game/setup.js";
import { readMoves } from "./game/state.js";

export class SetupDialog {
  /** @param {import("./game/session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("setup"));
    this.board = make("select", { id: "setup-board", onchange: () => this.#takeBoard() });
    this.board.append(...COMMON_BOARDS.map((text) => make("option", { value: text }, text.replace("x", " × "))));
    this.board.append(make("option", { value: "" }, "another"));
    this.width = make("input", { id: "setup-width", type: "number", min: "1", max: "32", oninput: () => this.#takeSize() });
    this.height = make("input", { id: "setup-height", type: "number", min: "1", max: "19", oninput: () => this.#takeSize() });
    this.moves = make("input", {
      id: "setup-moves",
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "4453",
      "aria-describedby": "setup-moves-about",
    });
    this.grid = make("textarea", {
      id: "setup-grid",
      rows: 7,
      spellcheck: "false",
      placeholder: ".......\n.......\n.......\n.......\n...o...\n..oxx..",
      "aria-describedby": "setup-grid-about",
    });
    this.error = make("p", { id: "setup-error", class: "failure", role: "alert" });
    this.dialog.append(this.#form());
    byId("open-setup").addEventListener("click", () => this.open());
  }

  open() {
    const { state, position, moves } = this.session;
    this.width.value = String(state.board.width);
    this.height.value = String(state.board.height);
    this.#takeSize();
    this.moves.value = state.grid === null ? moves : "";
    this.grid.value = state.grid === null ? "" : position.gridText().replaceAll("/", "\n");
    this.error.textContent = "";
    this.dialog.showModal();
    this.moves.focus();
    this.moves.select();
  }

  #form() {
    const times = make("span", { "aria-hidden": "true" }, "×");
    return make(
      "form",
      {
        method: "dialog",
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          this.#apply();
        },
      },
      make("h2", { id: "setup-title" }, "Set up a position"),
      make(
        "div",
        { class: "setup-size" },
        labelled("Board", this.board),
        labelled("Columns", this.width),
        times,
        labelled("Rows", this.height),
      ),
      labelled("Moves", this.moves),
      make("p", { id: "setup-moves-about", class: "quiet" }, "Columns in the order they were played, from 1; a is the tenth."),
      labelled("Or a grid", this.grid),
      make("p", { id: "setup-grid-about", class: "quiet" }, "x is red and began, o is yellow, a dot is empty; the top row comes first. Its size is the board’s."),
      this.error,
      make(
        "div",
        { class: "buttons" },
        make("button", { type: "submit", id: "setup-apply", class: "main" }, "Set up"),
        make("button", { type: "button", id: "setup-cancel", class: "plain", onclick: () => this.dialog.close() }, "Cancel"),
      ),
    );
  }

  #takeBoard() {
    const size = parseBoard(this.board.value);
    if (size === null) return this.width.focus();
    this.width.value = String(size.width);
    this.height.value = String(size.height);
    return undefined;
  }

  #takeSize() {
    const text = boardText(this.#size());
    this.board.value = COMMON_BOARDS.includes(text) ? text : "";
  }

  #size() {
    return { width: Number(this.width.value), height: Number(this.height.value) };
  }

  #apply() {
    try {
      if (this.grid.value.trim() !== "") this.#applyGrid();
      else this.#applyMoves();
      this.dialog.close();
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      this.error.textContent = error.message;
    }
  }

  #applyMoves() {
    const size = this.#size();
    const problem = boardProblem(size);
    if (problem !== null) throw new SetupError(problem);
    const line = readMoves(this.moves.value);
    const { error } = playLine(Position.empty(size), line);
    if (error !== null) throw new SetupError(error);
    this.session.setUp({ size, line });
  }

  /** A grid that a game leads to becomes moves, so that it can be stepped through and linked to. */
  #applyGrid() {
    const position = parseGrid(this.grid.value);
    const line = lineTo(position);
    if (line === null) this.session.setUp({ start: position });
    else this.session.setUp({ size: position.size, line });
  }
}

/** @param {string} text @param {HTMLElement} field */
function labelled(text, field) {
  return make("div", { class: "labelled" }, make("label", { for: field.id }, text), field);
}

/** The dialog that sets up a position: the size of the board, and moves or a grid. */

import { button, byId, make } from "../dom.js";
import { lineTo, parseGrid } from "../game/grids.js";
import { COMMON_BOARDS, boardProblem, boardText, parseBoard } from "../game/position.js";
import { messageOf, sentence } from "../words.js";

/** @import {Api} from "../api.js" */
/** @import {Session} from "../game/session.js" */
/** @import {PositionAnswer} from "../types.js" */

export class SetupDialog {
  #session;
  #api;
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

  /** @param {Session} session @param {Api} api */
  constructor(session, api) {
    this.#session = session;
    this.#api = api;
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

  /**
   * Set up a pasted text; if it is not a position, the dialog shows the text and the reason.
   * @param {string} text
   */
  paste(text) {
    this.open();
    const isGrid = text.trim().includes("\n");
    this.#moves.value = isGrid ? "" : text.trim();
    this.#grid.value = isGrid ? text : "";
    void this.#apply();
  }

  #form() {
    const onsubmit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      void this.#apply();
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
      about(
        "setup-moves-about",
        "The columns in the order of the moves: 4453, 4,4,5,3 or d1 d2 e1 c1. Columns count from 1; in 4453, a is " +
          "the tenth.",
      ),
      labelled("Or a grid", this.#grid),
      about(
        "setup-grid-about",
        "Rows of x (red, moves first), o (yellow) and dots, the top row first; also of 0, 1 and 2, of R, Y and -, of " +
          "coloured discs, or between bars. The grid sets the size.",
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

  /** Let the server read the position, and put it on the board. */
  async #apply() {
    const problem = boardProblem(this.#size());
    if (problem !== null) {
      this.#error.textContent = problem;
      return;
    }
    try {
      /** @type {PositionAnswer} */
      const answer = await this.#api.get("/api/v1/position", { ...this.#question(), budget: 0 });
      if (!this.#dialog.open) return;
      this.#take(answer);
      this.#dialog.close();
    } catch (error) {
      this.#error.textContent = sentence(messageOf(error));
    }
  }

  #question() {
    const grid = this.#grid.value;
    const board = boardText(this.#size());
    if (grid.trim() === "") return { moves: this.#moves.value, board };
    // Lists in JSON have no rows that would show the size.
    return /^\s*[[{]/.test(grid) ? { moves: grid, board } : { grid };
  }

  /**
   * Set up a grid as moves if a game leads to it, so that the user can step through it and link to it.
   * @param {PositionAnswer} answer
   */
  #take({ moves, grid }) {
    const position = parseGrid(grid);
    const line = moves ?? lineTo(position);
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

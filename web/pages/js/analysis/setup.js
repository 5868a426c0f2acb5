/** The dialog that sets up a position: the size of the board, and moves, a grid, or stones painted on a board. */

import { Board } from "../board/board.js";
import { button, byId, make } from "../dom.js";
import { GridError, lineTo, parseGrid } from "../game/grids.js";
import { COMMON_BOARDS, DEFAULT_BOARD, NAMES, Position, boardProblem, boardText, parseBoard } from "../game/position.js";
import { messageOf, sentence, whole } from "../words.js";

/** @import {Api} from "../api.js" */
/** @import {Session} from "../game/session.js" */
/** @import {PositionAnswer, Side, SolvedLine} from "../types.js" */

/** @type {readonly {id: string, side: Side | null, name: string}[]} */
const BRUSHES = Object.freeze([
  { id: "x", side: "x", name: NAMES.x },
  { id: "o", side: "o", name: NAMES.o },
  { id: "none", side: null, name: "Remove" },
]);

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
    oninput: () => this.#showGrid(),
  });
  #painting = new Board({ label: "Paint stones", onPlay: (column) => this.#paint(column) });
  #painted = Position.empty(DEFAULT_BOARD);
  /** The side of the stones to paint; null removes stones. @type {Side | null} */
  #brush = "x";
  #games = make("div", { id: "setup-games" });
  #error = make("p", { id: "setup-error", class: "failure", role: "alert" });

  /** @param {Session} session @param {Api} api */
  constructor(session, api) {
    this.#session = session;
    this.#api = api;
    this.#board.append(...COMMON_BOARDS.map((text) => make("option", { value: text }, text.replace("x", " × "))));
    this.#board.append(make("option", { value: "" }, "other"));
    this.#dialog.append(this.#form());
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
    this.#show(position);
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
    const hasRows = text.trim().includes("\n");
    this.#moves.value = hasRows ? "" : text.trim();
    this.#grid.value = hasRows ? text : "";
    this.#showGrid();
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
        "The columns in the order of the moves: 4453, 4,4,5,3 or d1 d2 e1 c1, also with move numbers and comments, " +
          "or an address. Columns count from 1; without commas, a is the tenth.",
      ),
      make("div", { class: "setup-grids" }, labelled("Or a grid", this.#grid), this.#paintBox()),
      about(
        "setup-grid-about",
        "Rows of x (red, moves first), o (yellow) and dots, the top row first; also of 0, 1 and 2, of R, Y and -, of red " +
          "and yellow discs, or between bars. The grid sets the size.",
      ),
      this.#error,
      this.#games,
      make(
        "div",
        { class: "buttons stays" },
        make("button", { type: "submit", id: "setup-apply", class: "main" }, "Set up"),
        button("Cancel", () => this.#dialog.close(), { id: "setup-cancel" }),
      ),
    );
  }

  #paintBox() {
    const brushes = BRUSHES.map(({ id, side, name }) => {
      const onchange = () => {
        this.#brush = side;
        this.#show(this.#painted);
      };
      const input = make("input", { type: "radio", name: "brush", value: id, checked: side === this.#brush, onchange });
      return make("label", {}, input, make("span", {}, name));
    });
    return make(
      "div",
      { class: "setup-paint" },
      make(
        "fieldset",
        { class: "choice" },
        make("legend", {}, "Or paint stones"),
        make("div", { class: "choice-row" }, brushes),
      ),
      this.#painting.element,
    );
  }

  /** @param {number} column */
  #paint(column) {
    this.#show(this.#painted.paint(column, this.#brush));
    this.#moves.value = "";
    this.#grid.value = this.#painted.gridText().replaceAll("/", "\n");
  }

  /** Show the typed grid on the board, if it is in the form that {@link parseGrid} reads. */
  #showGrid() {
    if (this.#grid.value.trim() === "") this.#show(Position.empty(this.#painted.size));
    try {
      this.#show(parseGrid(this.#grid.value.trim()));
    } catch (error) {
      if (!(error instanceof GridError)) throw error;
    }
  }

  /** @param {Position} position */
  #show(position) {
    this.#painted = position;
    this.#painting.show(position, { isFree: true, ghost: this.#brush });
  }

  #takeBoard() {
    const size = parseBoard(this.#board.value);
    if (size === null) {
      this.#width.focus();
      return;
    }
    this.#width.value = String(size.width);
    this.#height.value = String(size.height);
    this.#showSize();
  }

  #takeSize() {
    const text = boardText(this.#size());
    this.#board.value = COMMON_BOARDS.includes(text) ? text : "";
    this.#showSize();
  }

  /** Show an empty board of the chosen size, unless there is a grid, which has its own size. */
  #showSize() {
    const size = this.#size();
    if (boardProblem(size) === null && this.#grid.value.trim() === "") this.#show(Position.empty(size));
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
    const text = this.#grid.value.trim() === "" ? this.#moves.value : this.#grid.value;
    this.#games.replaceChildren();
    try {
      const answer = await this.#read(text);
      if (!this.#dialog.open) return;
      this.#take(answer);
      this.#dialog.close();
    } catch (error) {
      this.#error.textContent = sentence(messageOf(error));
      if (text.trim().includes("\n")) await this.#offer(text);
    }
  }

  /**
   * @param {string} text @returns {Promise<PositionAnswer>}
   */
  async #read(text) {
    const path = "/api/v1/position";
    const board = boardText(this.#size());
    const question = { moves: text, budget: 0 };
    // Without a board, a grid or an address determines the size, and other texts are moves on the default board.
    if (board === boardText(DEFAULT_BOARD)) return this.#api.get(path, question);
    try {
      return await this.#api.get(path, { ...question, board });
    } catch (error) {
      if (!/[\n/]/.test(text)) throw error;
      return this.#api.get(path, question);
    }
  }

  /**
   * Offer the games of a text: one on each line, or with empty lines between.
   * @param {string} text
   */
  async #offer(text) {
    const blocks = text.trim().split(text.includes("[") ? /\n\s*\n(?=\s*\[)/ : /\n\s*\n/);
    const games = blocks.length > 1 ? blocks.map((block) => block.replace(/\s+/g, " ")) : text.trim().split("\n");
    const query = { board: boardText(this.#size()), columns: false, budget: 0 };
    const type = "application/x-ndjson";
    const response = await this.#api.send("/api/v1/batch", { body: games.join("\n"), type, query });
    /** @type {(SolvedLine & {error?: string})[]} */
    const answers = (await response.text()).trim().split("\n").map((line) => JSON.parse(line));
    const readable = answers.filter(({ moves }) => moves !== undefined && moves !== null);
    if (readable.length === 0) return;
    this.#error.textContent = "";
    this.#games.append(
      make("p", {}, `${whole(readable.length)} of ${whole(games.length)} games can be read. Choose one:`),
      make(
        "ol",
        {},
        answers.map(({ moves, error }) => make("li", {}, moves ? this.#choice(moves) : sentence(error ?? ""))),
      ),
    );
    this.#games.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} moves */
  #choice(moves) {
    return button(moves, () => {
      this.#session.setUp({ size: this.#size(), line: moves });
      this.#dialog.close();
    });
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

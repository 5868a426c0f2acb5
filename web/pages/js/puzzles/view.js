/**
 * The puzzles: a position in which a single column keeps the result, and the line after the answer. `/puzzles?seed=5`
 * is a puzzle that can be shared; `match=1` takes puzzles of a match's games, `board=9x6` puzzles of another board.
 */

import { Board } from "../board/board.js";
import { Columns } from "../board/columns.js";
import { button, facts, isTaken, local, make, setAttribute } from "../dom.js";
import { parseGrid } from "../game/grids.js";
import { NAMES, Position, columnLabel, columnNumber, playLine } from "../game/position.js";
import { keepSetting, readSetting } from "../storage.js";
import { VIEWS } from "../views.js";
import { count, messageOf, sentence, whole } from "../words.js";

/** @import {Api} from "../api.js" */
/** @import {Puzzle, Puzzles} from "../types.js" */
/** @typedef {{now: number, best: number}} Streak puzzles that were solved in a row */

const PATH = VIEWS.puzzles.address;
/** The parameters of an address; a request has the same. */
const PARAMETERS = ["seed", "match", "board"];
const STREAK = "puzzle-streak";

/** @param {HTMLElement} element @param {Api} api */
export function mount(element, api) {
  const view = new PuzzleView(api);
  element.replaceChildren(view.element);
  element.addEventListener("c4:show", () => view.follow());
  api.addEventListener("back", () => view.retry());
  document.addEventListener("keydown", (event) => {
    if (location.pathname === PATH) view.press(event);
  });
  view.follow();
}

class PuzzleView {
  #api;
  /** The query of the puzzle on the board. */
  #shown = "";
  /** @type {Puzzle | null} */
  #puzzle = null;
  /**
   * The next puzzle, which is requested in advance.
   * @type {{query: string, answer: Promise<Puzzles>} | null}
   */
  #ahead = null;
  /** The puzzle's position, and those after each move of the line. */
  #positions = [Position.empty({ width: 7, height: 6 })];
  /** The number of moves of the line on the board. */
  #ply = 0;
  #isAnswered = false;
  /** The reason why there is no puzzle, or "". */
  #trouble = "";
  /** @type {Streak} */
  #streak = readSetting(STREAK, { now: 0, best: 0 });

  #board = new Board({ label: "Puzzle", onPlay: (column) => this.#choose(column) });
  #buttons = make("div", { class: "columns", role: "group", "aria-label": "Columns" });
  #columns = new Columns(this.#buttons, make("p"), (column) => this.#choose(column));
  #question = make("h2", { id: "puzzle-question" });
  #answer = make("p", { id: "puzzle-answer", role: "status" });
  #line = make("ol", { id: "puzzle-line", class: "line-moves", "aria-label": "Best play" });
  #facts = make("div");
  #score = make("p", { id: "puzzle-streak", class: "quiet" });
  #next = button("Next", () => this.#goOn(), { id: "puzzle-next", class: "main", "aria-keyshortcuts": "n" });
  #giveUp = button("Show the solution", () => this.#choose(0), { id: "puzzle-solution" });
  #analyse = make("a", { id: "puzzle-analyse", href: "/" }, "Analyse");

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
    this.element = make(
      "div",
      { class: "puzzle" },
      make("div", { class: "puzzle-board" }, this.#board.element, this.#buttons),
      make(
        "div",
        { class: "card puzzle-card" },
        this.#question,
        this.#answer,
        make("div", { class: "buttons" }, this.#next, this.#giveUp),
        this.#line,
        this.#facts,
        this.#score,
        make("p", { class: "links" }, this.#analyse),
      ),
    );
    this.#draw();
  }

  /** Show the puzzle of the address; the address of the tab keeps the puzzle on the board. */
  follow() {
    const asked = new URLSearchParams(location.search);
    const known = [...asked].filter(([name]) => PARAMETERS.includes(name));
    const query = known.length === 0 && this.#shown !== "" ? this.#shown : withSeed(new URLSearchParams(known));
    history.replaceState(null, "", `${PATH}?${query}`);
    if (query !== this.#shown) void this.#load(query);
  }

  /** Ask again after a failure. */
  retry() {
    if (this.#trouble !== "") void this.#load(this.#shown);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || isTaken(event)) return;
    if (event.key === "n") this.#goOn();
    else if (event.key === "ArrowLeft") this.#goTo(this.#ply - 1);
    else if (event.key === "ArrowRight") this.#goTo(this.#ply + 1);
    else if (/^[1-9A-Z]$/.test(event.key)) this.#choose(columnNumber(event.key));
    else return;
    event.preventDefault();
  }

  #goOn() {
    if (this.#puzzle === null ? this.#trouble === "" : !this.#isAnswered) return;
    const query = this.#ahead?.query ?? this.#another();
    history.pushState(null, "", `${PATH}?${query}`);
    void this.#load(query);
  }

  /** The query of another puzzle of the same kind. */
  #another() {
    const query = new URLSearchParams(this.#shown);
    query.delete("seed");
    return withSeed(query);
  }

  /** @param {string} query */
  async #load(query) {
    const ahead = this.#ahead;
    this.#shown = query;
    this.#puzzle = null;
    this.#ahead = null;
    this.#trouble = "";
    this.#draw();
    try {
      const found = await (ahead?.query === query ? ahead.answer : this.#fetch(query));
      if (this.#shown === query) this.#show(found);
    } catch (error) {
      if (this.#shown !== query) return;
      this.#trouble = sentence(messageOf(error));
      this.#draw();
    }
  }

  /**
   * @param {string} query
   * @returns {Promise<Puzzles>}
   */
  #fetch(query) {
    return this.#api.get(`/api/v1/puzzles?${query}&count=1`);
  }

  /** @param {Puzzles} found */
  #show({ puzzles, complete }) {
    const puzzle = puzzles[0] ?? null;
    this.#puzzle = puzzle;
    if (puzzle === null) {
      this.#trouble = complete ? "No puzzle was found: these games have none." : "No puzzle was found in time.";
      this.#draw();
      return;
    }
    this.#positions = playLine(parseGrid(puzzle.grid), puzzle.line).positions;
    this.#ply = 0;
    this.#isAnswered = false;
    this.#draw();
    const query = this.#another();
    const answer = this.#fetch(query);
    answer.catch(() => (this.#ahead = null)); // the next request reports the error
    this.#ahead = { query, answer };
  }

  /** @param {number} column 0 to see the solution */
  #choose(column) {
    const puzzle = this.#puzzle;
    if (puzzle === null || this.#isAnswered || (column !== 0 && !this.#positions[0].isPlayable(column))) return;
    const isRight = column === puzzle.solution;
    const now = isRight ? this.#streak.now + 1 : 0;
    this.#streak = { now, best: Math.max(now, this.#streak.best) };
    keepSetting(STREAK, this.#streak);
    this.#isAnswered = true;
    this.#ply = isRight ? 1 : 0;
    this.#answer.textContent = answerText(puzzle, column);
    this.#answer.dataset.right = String(isRight);
    this.#draw();
  }

  /** @param {number} ply */
  #goTo(ply) {
    if (!this.#isAnswered || ply < 0 || ply >= this.#positions.length) return;
    this.#ply = ply;
    this.#draw();
  }

  #draw() {
    const puzzle = this.#puzzle;
    const position = this.#positions[this.#ply];
    const isPlayable = puzzle !== null && !this.#isAnswered;
    const isSolved = puzzle !== null && this.#isAnswered;
    const best = isSolved && this.#ply === 0 ? [puzzle.solution] : [];
    this.element.style.setProperty("--wide", String(position.size.width));
    this.element.style.setProperty("--high", String(position.size.height));
    this.element.setAttribute("aria-busy", String(puzzle === null && this.#trouble === ""));
    this.#board.show(position, { best, isPlayable });
    this.#columns.show(position, { flipped: false, answer: null, isPlayable, isBare: true });
    this.#question.textContent = puzzle === null ? this.#trouble || "Looking for a puzzle…" : questionText(puzzle);
    this.#question.dataset.side = puzzle?.side ?? "";
    this.#answer.hidden = !isSolved;
    this.#giveUp.hidden = !isPlayable;
    this.#next.hidden = puzzle === null ? this.#trouble === "" : !this.#isAnswered;
    this.#analyse.hidden = !isSolved;
    const { now, best: most } = this.#streak;
    this.#score.textContent = `Streak: ${whole(now)}. Best: ${whole(most)}.`;
    this.#line.hidden = !isSolved;
    this.#facts.replaceChildren(...(puzzle === null ? [] : [factsOf(puzzle)]));
    if (isSolved) {
      this.#showLine(puzzle);
      this.#analyse.href = local(addressOf(puzzle));
    }
  }

  /** @param {Puzzle} puzzle */
  #showLine({ line }) {
    if (this.#line.dataset.query !== this.#shown) {
      this.#line.dataset.query = this.#shown;
      this.#line.replaceChildren(...[...line].map((character, index) => make("li", {}, this.#step(character, index))));
    }
    for (const [index, step] of this.#line.querySelectorAll("button").entries()) {
      setAttribute(step, "aria-current", index + 1 === this.#ply ? "step" : null);
    }
  }

  /** @param {string} character @param {number} index */
  #step(character, index) {
    const { side } = this.#positions[index];
    const attributes = {
      type: "button",
      class: `step ${side}`,
      "data-ply": index + 1,
      "aria-label": `Move ${index + 1}: ${NAMES[side]}, column ${columnNumber(character)}`,
      onclick: () => this.#goTo(index + 1),
    };
    return make("button", attributes, character);
  }
}

/** @param {Puzzle} puzzle */
function questionText({ side, keeps }) {
  return `${NAMES[side]} to move: find the only column that ${keeps === "win" ? "wins" : "draws"}.`;
}

/** @param {Puzzle} puzzle @param {number} column 0 to see the solution */
function answerText({ keeps, solution, length }, column) {
  const outcome = keeps === "win" ? `wins in ${count(length, "move")}` : "holds the draw";
  const only = `column ${columnLabel(solution)} ${outcome}.`;
  if (column === solution) return `Right: ${only}`;
  if (column === 0) return sentence(only);
  const wrong = keeps === "win" ? "gives the win away" : "loses";
  return `Wrong: column ${columnLabel(column)} ${wrong}. Only ${only}`;
}

/** @param {Puzzle} puzzle */
function factsOf({ match, number, difficulty }) {
  return facts([
    ["Difficulty", `${count(difficulty, "position")} searched`],
    ["Game", match === null ? null : `${match}:${number}`],
  ]);
}

/** The address of the analysis, with best play to step through. @param {Puzzle} puzzle */
function addressOf({ board, moves, grid, line }) {
  const query = new URLSearchParams({ pos: moves ?? "", board, line: (moves ?? "") + line });
  if (moves === null) query.set("grid", parseGrid(grid).gridText());
  return `/?${query.toString().replaceAll("%2F", "/")}`;
}

/** @param {URLSearchParams} query @returns {string} the query, with a random seed if it has none */
function withSeed(query) {
  if (!query.has("seed")) query.set("seed", String(Math.floor(Math.random() * 2 ** 31)));
  return query.toString();
}

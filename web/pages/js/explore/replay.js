/** Stepping through a game: the board, the moves, and a graph of the score where it is known. */

import { Board } from "../board/board.js";
import { Graph } from "../review/graph.js";
import { markText, pointsOf } from "../review/marks.js";
import { NAMES, columnNumber, signed } from "../game/notation.js";
import { draw, make } from "../dom.js";
import { positionsOf } from "./stored_positions.js";

export class Replay {
  /**
   * @param {any} game as GET /api/v1/games/{match}/{number} answers it.
   * @param {number} ply where to begin.
   * @param {(text: string) => void} announce
   */
  constructor(game, ply, announce) {
    this.game = game;
    this.announce = announce;
    this.positions = positionsOf(game);
    this.review = null;
    this.board = new Board({ label: `Game ${game.match}/${game.number}` });
    this.controls = this.buttons();
    this.words = make("p", { class: "replay-words", "data-words": "" });
    this.analyse = make("a", { href: "/" }, "Analyse this position");
    this.moves = make("ol", { class: "replay-moves", "aria-label": "Moves" }, this.steps());
    this.graph = make("div", { class: "replay-graph" });
    this.note = make("p", { class: "quiet", role: "status" }, "Judging the moves …");
    this.element = make(
      "div",
      { class: "replay", "data-replay": "" },
      make(
        "div",
        { class: "replay-board" },
        this.board.element,
        make(
          "div",
          { class: "replay-controls", role: "group", "aria-label": "Replay" },
          this.controls,
        ),
      ),
      make(
        "div",
        { class: "replay-side" },
        this.words,
        this.graph,
        this.note,
        this.moves,
        make("p", {}, this.analyse),
      ),
    );
    this.plot = null;
    this.element.addEventListener("keydown", (event) => this.press(event));
    this.goTo(ply || this.positions.length - 1);
  }

  buttons() {
    const last = this.positions.length - 1;
    const made = (name, label, shape, step) =>
      make(
        "button",
        {
          type: "button",
          class: "plain",
          "aria-label": label,
          "data-step": name,
          onclick: () => this.goTo(step()),
        },
        draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("path", { d: shape })),
      );
    return [
      made("first", "First position", "M18 6l-8 6 8 6zM6.5 6v12", () => 0),
      made("previous", "Back", "M16 6l-8 6 8 6z", () => this.ply - 1),
      made("next", "Forth", "M8 6l8 6-8 6z", () => this.ply + 1),
      made("last", "Last position", "M6 6l8 6-8 6zM17.5 6v12", () => last),
    ];
  }

  /** A button a move; the stone's colour is a word too. */
  steps() {
    return [...(this.game.moves ?? "")]
      .slice(0, this.positions.length - 1)
      .map((character, index) => {
        const side = this.positions[index].side;
        return make(
          "li",
          {},
          make(
            "button",
            {
              type: "button",
              class: `step ${side}`,
              "data-ply": index + 1,
              "aria-label": `Move ${index + 1}, ${NAMES[side]}, column ${columnNumber(character)}`,
              onclick: () => this.goTo(index + 1),
            },
            character,
            make("span", { class: "mark" }),
          ),
        );
      });
  }

  /** @param {number} ply moves that are on the board. */
  goTo(ply) {
    this.ply = Math.max(0, Math.min(ply, this.positions.length - 1));
    this.board.show(this.positions[this.ply]);
    const [first, previous, next, last] = this.controls;
    first.disabled = previous.disabled = this.ply === 0;
    next.disabled = last.disabled = this.ply === this.positions.length - 1;
    for (const step of this.moves.querySelectorAll("button")) {
      const isHere = Number(step.dataset.ply) === this.ply;
      if (isHere) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    }
    this.analyse.href = this.address();
    this.tell();
    if (this.plot) this.plot.show(pointsOf(this.review.moves_judged), this.ply);
  }

  /** The analysis of what is on the board, the whole game to step through. */
  address() {
    const { board, moves = "" } = this.game;
    const start = this.positions[0];
    const query = new URLSearchParams({ pos: moves.slice(0, this.ply), board, line: moves });
    if (start.ply) query.set("grid", start.gridText());
    return `/?${query.toString().replaceAll("%2F", "/")}`;
  }

  tell() {
    const judged = this.review?.moves_judged[this.ply - 1];
    const position = this.positions[this.ply];
    const turn = position.winner
      ? `${NAMES[position.winner]} has won`
      : position.isFull
        ? "a draw"
        : `${NAMES[position.side]} to move`;
    const parts = [
      this.ply
        ? `Move ${this.ply} of ${this.positions.length - 1}: column ${columnNumber(this.game.moves[this.ply - 1])}.`
        : "The beginning.",
      `${turn}.`,
    ];
    if (judged && judged.after !== null) parts.push(worth(judged));
    this.words.textContent = parts.join(" ");
    this.announce(this.words.textContent);
  }

  /** Mark the moves. @param {any} review as GET /api/v1/game answers it. */
  judge(review) {
    this.review = review;
    const steps = this.moves.querySelectorAll("button");
    review.moves_judged.forEach(({ mark }, index) => {
      const step = steps[index];
      if (!step || !mark) return;
      step.dataset.mark = mark;
      step.querySelector(".mark").textContent = mark;
      step.setAttribute("aria-label", `${step.getAttribute("aria-label")}, ${markText(mark)}`);
    });
    if (review.moves_judged.some(({ after }) => after !== null)) {
      this.plot = new Graph((ply) => this.goTo(ply));
      this.plot.element.id = "replay-graph";
      this.graph.replaceChildren(this.plot.element);
    }
    this.goTo(this.ply);
  }

  say(text) {
    this.note.textContent = text;
    this.note.hidden = !text;
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = {
      ArrowLeft: this.ply - 1,
      ArrowRight: this.ply + 1,
      Home: 0,
      End: this.positions.length - 1,
    };
    if (!(event.key in steps) || event.target.closest("[role=slider]")) return;
    event.preventDefault();
    event.stopPropagation(); // the page has the same keys for its own board
    this.goTo(steps[event.key]);
  }
}

function worth({ side, before, after, best, mark }) {
  const name = NAMES[side];
  if (before === after)
    return `The score for ${name} stays ${signed(after)}${mark === "!" ? ": the only move" : ""}.`;
  const columns = best.length === 1 ? `column ${best[0]} was` : `columns ${best.join(", ")} were`;
  return `The score for ${name} goes from ${signed(before)} to ${signed(after)}; ${columns} best.`;
}

/** The first results of a job as a table, with links to the board. */

import { button, make, table } from "../dom.js";
import { NAMES } from "../game/position.js";
import { count, messageOf, outcomeText, sentence, signed, valueOf } from "../words.js";

/** @import {Api} from "../api.js" */
/** @import {Child} from "../dom.js" */
/** @import {Job, PositionAnswer, Result, SolvedLine} from "../types.js" */

const MOST_ROWS = 50;

const HEADINGS = [
  { text: "Line", right: true },
  "Position",
  "To move",
  { text: "Score", right: true },
  "With best play",
  "Best columns",
];

export class ResultTable {
  #api;
  #job;
  #content = make("div", {});

  /** @param {Job} job @param {Api} api */
  constructor(job, api) {
    this.#api = api;
    this.#job = job;
    const summary = make("summary", {}, "Results as a table");
    /** @type {HTMLDetailsElement} */
    const element = make("details", { class: "results", ontoggle: () => element.open && this.#load() }, summary);
    element.append(this.#content);
    this.element = element;
  }

  async #load() {
    const { id } = this.#job;
    try {
      const { lines, hasMore } = await this.#api.lines(`/api/v1/jobs/${id}/results`, MOST_ROWS);
      const rows = lines.map((line, index) => this.#row(resultOf(line), index + 1));
      const caption = hasMore ? `The first ${count(rows.length, "line")} of job ${id}` : `Results of job ${id}`;
      this.#content.replaceChildren(table(caption, HEADINGS, rows, { empty: "No line is done yet." }));
    } catch (error) {
      this.#content.replaceChildren(make("p", { class: "failure" }, sentence(messageOf(error))));
    }
  }

  /** @param {Result} result @param {number} line @returns {Child[]} */
  #row(result, line) {
    if ("error" in result) {
      return [line, make("span", { class: "failure" }, result.error), "", "", "", ""];
    }
    const { side, score = null, lower, upper, value, plies, best } = result;
    const text = score === null ? `${signed(lower)} to ${signed(upper)}` : signed(score);
    return [
      line,
      this.#place(result),
      NAMES[side],
      make("span", { class: `score ${valueOf(score)}` }, text),
      outcomeText({ value, plies: plies ?? null }),
      best?.join(", ") ?? "–",
    ];
  }

  /**
   * A link to the board. Only the server can make a grid from a key.
   * @param {SolvedLine} result @returns {Child}
   */
  #place({ moves, key, board }) {
    if (moves !== null) {
      return make("a", { href: `/?pos=${moves}&board=${board}` }, moves === "" ? "empty board" : moves);
    }
    return button("Show the grid", () => void this.#show(key, board), { title: `Key ${key}` });
  }

  /** @param {string | undefined} key @param {string} board */
  async #show(key, board) {
    /** @type {PositionAnswer} */
    const { grid } = await this.#api.get("/api/v1/position", { key, board, budget: 0 });
    window.location.assign(`/?grid=${grid.replaceAll("\n", "/")}&board=${board}`);
  }
}

/**
 * Read a line. Its key becomes text, because JavaScript's numbers have 53 bits.
 * @param {string} line @returns {Result}
 */
function resultOf(line) {
  return JSON.parse(line.replace(/"key": ?(\d+)/, '"key":"$1"'));
}

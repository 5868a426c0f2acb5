/** One job: its description, progress, actions and first results. */

import { button, local, make, table } from "../dom.js";
import { NAMES, columnLabel } from "../game/position.js";
import { count, duration, messageOf, moment, outcomeText, sentence, signed, valueOf, whole } from "../words.js";

/** @import {Api} from "../api.js" */
/** @import {Child} from "../dom.js" */
/** @import {Bounds, Job, JobProgress, JobTree, PositionAnswer, Result, SolvedLine} from "../types.js" */

/** States in which a job can be cancelled or resumed. A running job can be resumed if it is silent. */
const CANCELLABLE = ["planning", "running"];
const RESUMABLE = ["cancelled", "failed"];

/** A running job is silent after this time without a sign of life. */
const SILENT_SECONDS = 10;

/** Kinds of jobs whose results are a table, also as CSV. */
const TABULAR = ["analyze"];

/**
 * The unit that a kind of job counts; other kinds count positions.
 * @type {Record<string, string>}
 */
const COUNTED = { deep: "shift", match: "game" };

/** Maximum number of results in the table. */
const MOST_ROWS = 50;

const HEADINGS = [
  { text: "Line", right: true },
  "Position",
  "To move",
  { text: "Score", right: true },
  "With best play",
  "Best columns",
];

export class JobCard {
  #api;
  #id;
  #kind;
  #onChange;
  #shown = "";
  #state = make("span", { class: "state" });
  #bar;
  #figures = make("p", { class: "figures" });
  #tree = make("div");
  #actions = make("div", { class: "buttons" });
  #failure = make("p", { class: "failure", role: "alert", hidden: true });

  /** @param {Job} job @param {Api} api @param {() => void} onChange called when the job was cancelled or resumed */
  constructor(job, api, onChange) {
    const { id, kind, board, label, created_at: created } = job;
    this.#api = api;
    this.#id = id;
    this.#kind = kind;
    this.#onChange = onChange;
    this.#bar = make("progress", { max: 1, value: 0, "aria-label": `Progress of job ${id}` });
    const title = make("h3", {}, make("a", { href: `/work?job=${id}` }, `Job ${id}`), ` ${label ?? ""}`);
    this.element = make(
      "li",
      { class: "job", "data-job": id },
      make("div", { class: "head" }, title, this.#state),
      make("p", { class: "quiet" }, [kind, board, moment(created)].filter(Boolean).join(" · ")),
      this.#bar,
      this.#figures,
      this.#tree,
      TABULAR.includes(kind) && new ResultTable(job, api).element,
      this.#actions,
      this.#failure,
    );
    this.show(job);
  }

  /** @param {Job} job */
  show(job) {
    this.showProgress(job.progress ?? progressOf(job));
    // Lists have no trees, and a job that has ended sends no events.
    if (job.kind === "deep" && !this.#tree.hasChildNodes()) void this.#fetchTree();
    if (job.errors.length > 0) this.#refuse(job.errors.join("; "));
  }

  /** @param {JobProgress} progress */
  showProgress(progress) {
    const { state, positions, positions_done: done, tree } = progress;
    this.#bar.max = Math.max(1, positions);
    this.#bar.value = done;
    this.#figures.textContent = figuresText(progress, COUNTED[this.#kind] ?? "position");
    if (tree !== undefined) this.#tree.replaceChildren(drawTree(tree));
    const isSilent = silence(progress) !== null;
    const shown = `${state} ${isSilent}`;
    if (this.#shown === shown) return; // a button may have the focus
    this.#shown = shown;
    this.element.dataset.state = state;
    this.#state.textContent = state;
    this.#state.className = `state ${state}`;
    this.#actions.replaceChildren(
      ...(CANCELLABLE.includes(state) ? [this.#action("cancel", "Cancel")] : []),
      ...(RESUMABLE.includes(state) || isSilent ? [this.#action("resume", "Resume")] : []),
      this.#results("jsonl", "Results", ""),
      ...(TABULAR.includes(this.#kind) ? [this.#results("csv", "CSV", "?format=csv")] : []),
    );
  }

  async #fetchTree() {
    /** @type {Job | null} */
    const job = await this.#api.get(`/api/v1/jobs/${this.#id}`).catch(() => null);
    if (job?.progress !== undefined && !this.#tree.hasChildNodes()) this.showProgress(job.progress);
  }

  /** @param {"cancel" | "resume"} action @param {string} text */
  #action(action, text) {
    const attributes = { "data-action": action, "aria-label": `${text} job ${this.#id}` };
    return button(text, () => this.#act(action), attributes);
  }

  /** @param {string} format @param {string} text @param {string} query */
  #results(format, text, query) {
    const attributes = {
      class: "plain",
      href: `/api/v1/jobs/${this.#id}/results${query}`,
      download: `c4-job-${this.#id}.${format}`,
      "data-results": format,
      "aria-label": `${text} of job ${this.#id}`,
    };
    return make("a", attributes, text);
  }

  /** @param {"cancel" | "resume"} action */
  async #act(action) {
    this.#failure.hidden = true;
    try {
      await this.#api.send(`/api/v1/jobs/${this.#id}/${action}`);
      this.#onChange();
    } catch (error) {
      this.#refuse(messageOf(error));
    }
  }

  /** @param {string} message */
  #refuse(message) {
    this.#failure.textContent = message;
    this.#failure.hidden = false;
  }
}

/** @param {Job} job @returns {JobProgress} */
function progressOf({ state, silent_seconds, positions, nodes }) {
  const all = Object.values(positions).reduce((sum, number) => sum + number, 0);
  const { done = 0, failed = 0 } = positions;
  return { state, silent_seconds, positions: all, positions_done: done, positions_failed: failed, nodes };
}

/** When a process last worked on a silent job; null for other jobs. @param {JobProgress} progress */
function silence({ state, silent_seconds: seconds }) {
  if (state !== "running") return null;
  if (seconds === null) return "no sign of life yet";
  return seconds < SILENT_SECONDS ? null : `last sign of life ${duration(seconds)} ago`;
}

/** @param {JobProgress} progress @param {string} one the unit that the job counts */
function figuresText(progress, one) {
  const { state, positions, positions_done: done, positions_failed: failed, nodes } = progress;
  const { positions_per_second: pace, eta_seconds: rest } = progress;
  const isRunning = state === "running";
  return [
    silence(progress),
    `${whole(done)} of ${count(positions, one)}`,
    failed > 0 && `${whole(failed)} failed`,
    isRunning && pace && `${pace < 10 ? pace.toFixed(1) : whole(pace)} a second`,
    isRunning && rest && `${duration(rest)} left`,
    nodes > 0 && count(nodes, "node"),
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * Draw the tree of a deep job: the proven bounds of the score and of each column.
 * @param {JobTree} tree
 */
function drawTree(tree) {
  const columns = tree.moves.map((bounds, index) => drawColumn(index + 1, bounds, tree));
  return make(
    "div",
    { class: "deep-tree", "data-tree": "" },
    make("p", { class: "deep-score" }, scoreText(tree)),
    make("ol", { class: "deep-columns", "aria-label": "Proven score of each column" }, columns),
  );
}

/** @param {JobTree} tree */
function scoreText({ lower, upper, asked }) {
  if (lower === upper) return `The score is ${signed(lower)} for the side to move.`;
  const known = `The score is between ${signed(lower)} and ${signed(upper)} for the side to move.`;
  return asked === null ? known : `${known} Current question: is it at least ${signed(asked)}?`;
}

/** @param {number} column @param {Bounds | null} bounds @param {JobTree} tree */
function drawColumn(column, bounds, tree) {
  const isBest = bounds !== null && tree.lower === tree.upper && bounds.lower === tree.lower;
  const isExact = bounds?.lower === bounds?.upper;
  const exact = isExact ? signed(bounds?.lower) : `${signed(bounds?.lower)} to ${signed(bounds?.upper)}`;
  return make(
    "li",
    { class: isBest ? "is-best" : null, "data-column": column },
    make("b", {}, columnLabel(column)),
    make("span", {}, bounds === null ? "full" : exact),
  );
}

/** The first results of a job as a table, with links to the board. */
class ResultTable {
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
      this.#content.replaceChildren(table(caption, HEADINGS, rows, { empty: "No line is finished yet." }));
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
    window.location.assign(local(`/?grid=${grid.replaceAll("\n", "/")}&board=${board}`));
  }
}

/**
 * Read a line. Its key becomes text, because JavaScript's numbers have 53 bits.
 * @param {string} line @returns {Result}
 */
function resultOf(line) {
  return JSON.parse(line.replace(/"key": ?(\d+)/, '"key":"$1"'));
}

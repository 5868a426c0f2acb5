/** One job: what it is, how far it is, what can be done with it. */

import { el } from "../explore/dom.js";
import { count, duration, moment, whole } from "../explore/wording.js";
import { token } from "./token.js";

/** States from which a job can be stopped, and from which it can go on. */
const STOPPABLE = new Set(["planning", "running", "waiting", "interrupted"]);
const RESUMABLE = new Set(["cancelled", "failed", "interrupted", "waiting"]);

/** Kinds whose results are rows of one table. */
const TABULAR = new Set(["analyze"]);

export class JobCard {
  /**
   * @param {any} job as GET /api/v1/jobs answers it.
   * @param {() => void} changed told when something was done to it.
   */
  constructor(job, changed) {
    this.id = job.id;
    this.changed = changed;
    this.state = el("span", { class: "state" });
    this.bar = el("progress", { max: 1, value: 0, "aria-label": `Progress of job ${job.id}` });
    this.figures = el("p", { class: "figures" });
    this.actions = el("div", { class: "buttons" });
    this.failure = el("p", { class: "failure", role: "alert", hidden: true });
    this.element = el(
      "li",
      { class: "job", "data-job": job.id },
      el(
        "div",
        { class: "head" },
        el(
          "h3",
          {},
          el("a", { href: `/work?job=${job.id}` }, `Job ${job.id}`),
          ` ${job.label ?? ""}`,
        ),
        this.state,
      ),
      el(
        "p",
        { class: "quiet" },
        [job.kind, job.board, moment(job.created_at ?? job.created)].filter(Boolean).join(" · "),
      ),
      this.bar,
      this.figures,
      this.actions,
      this.failure,
    );
    this.show(job);
  }

  /** @param {any} job */
  show(job) {
    this.kind = job.kind;
    this.progress(job.progress ?? fromCounts(job));
    const errors = job.errors ?? [];
    if (errors.length) this.refuse(errors.join("; "));
  }

  /** @param {any} progress the fields of JobProgress. */
  progress(progress) {
    const { state, positions, positions_done: done, positions_failed: failed } = progress;
    this.bar.max = Math.max(1, positions);
    this.bar.value = done;
    this.figures.replaceChildren(figures(progress, done, positions, failed));
    if (this.shown === state) return; // its buttons may have the focus
    this.shown = state;
    this.element.dataset.state = state;
    this.state.textContent = state;
    this.state.className = `state ${state}`;
    this.actions.replaceChildren(...this.possible(state));
  }

  possible(state) {
    const actions = [];
    if (STOPPABLE.has(state)) actions.push(this.button("cancel", "Cancel"));
    if (RESUMABLE.has(state)) actions.push(this.button("resume", "Resume"));
    actions.push(this.results("jsonl", "Results"));
    if (TABULAR.has(this.kind)) actions.push(this.results("csv", "CSV"));
    return actions;
  }

  button(action, text) {
    return el(
      "button",
      {
        type: "button",
        class: "plain",
        "data-action": action,
        "aria-label": `${text} job ${this.id}`,
        on: { click: () => this.act(action) },
      },
      text,
    );
  }

  results(format, text) {
    const query = format === "jsonl" ? "" : `?format=${format}`;
    return el(
      "a",
      {
        class: "plain",
        href: `/api/v1/jobs/${this.id}/results${query}`,
        download: `c4-job-${this.id}.${format}`,
        "data-results": format,
        "aria-label": `${text} of job ${this.id}`,
      },
      text,
    );
  }

  async act(action) {
    this.failure.hidden = true;
    try {
      await token.post(`/api/v1/jobs/${this.id}/${action}`);
      this.changed();
    } catch (error) {
      this.refuse(error.message);
    }
  }

  refuse(message) {
    this.failure.textContent = message;
    this.failure.hidden = false;
  }
}

function figures(
  { state, positions_per_second: rate, eta_seconds: rest, nodes },
  done,
  positions,
  failed,
) {
  const parts = [`${whole(done)} of ${count(positions, "position")}`];
  if (failed) parts.push(`${whole(failed)} failed`);
  if (rate && state === "running") parts.push(`${rate < 10 ? rate.toFixed(1) : whole(rate)} a second`);
  if (rest && state === "running") parts.push(`${duration(rest)} left`);
  if (nodes) parts.push(`${whole(nodes)} nodes`);
  return parts.join(" · ");
}

/** Progress by the counts that the list has of every job. */
function fromCounts({ id, state, positions, nodes }) {
  const all = Object.values(positions).reduce((sum, number) => sum + number, 0);
  return {
    job_id: id,
    state,
    positions: all,
    positions_done: positions.done ?? 0,
    positions_failed: positions.failed ?? 0,
    nodes,
  };
}

/** One job: what it is, how far it is, what can be done with it. */

import { make } from "../dom.js";
import { count, duration, moment, whole } from "../explore/wording.js";
import { deepTree } from "./deep_tree.js";
import { token } from "./token.js";

/** States from which a job can be stopped, and from which it can go on. */
const STOPPABLE = new Set(["planning", "running", "waiting", "queued", "interrupted"]);
const RESUMABLE = new Set(["cancelled", "failed", "interrupted", "waiting"]);

/** Kinds whose results are rows of one table. */
const TABULAR = new Set(["analyze"]);

/** What the jobs of a kind count. */
const COUNTED = { deep: "piece", match: "game" };

export class JobCard {
  /**
   * @param {any} job as GET /api/v1/jobs answers it.
   * @param {import("../api.js").Api} api
   * @param {() => void} changed told when something was done to it.
   */
  constructor(job, api, changed) {
    this.api = api;
    this.id = job.id;
    this.changed = changed;
    this.state = make("span", { class: "state" });
    this.bar = make("progress", { max: 1, value: 0, "aria-label": `Progress of job ${job.id}` });
    this.figures = make("p", { class: "figures" });
    this.tree = make("div", {});
    this.actions = make("div", { class: "buttons" });
    this.failure = make("p", { class: "failure", role: "alert", hidden: true });
    this.element = make(
      "li",
      { class: "job", "data-job": job.id },
      make(
        "div",
        { class: "head" },
        make(
          "h3",
          {},
          make("a", { href: `/work?job=${job.id}` }, `Job ${job.id}`),
          ` ${job.label ?? ""}`,
        ),
        this.state,
      ),
      make(
        "p",
        { class: "quiet" },
        [job.kind, job.board, moment(job.created_at ?? job.created)].filter(Boolean).join(" · "),
      ),
      this.bar,
      this.figures,
      this.tree,
      this.actions,
      this.failure,
    );
    this.show(job);
  }

  /** @param {any} job */
  show(job) {
    this.kind = job.kind;
    this.progress(job.progress ?? fromCounts(job));
    if (job.kind === "deep" && !this.tree.hasChildNodes()) this.look();
    const errors = job.errors ?? [];
    if (errors.length) this.refuse(errors.join("; "));
  }

  /** @param {any} progress the fields of JobProgress. */
  progress(progress) {
    const { state, positions, positions_done: done, positions_failed: failed } = progress;
    this.bar.max = Math.max(1, positions);
    this.bar.value = done;
    const one = COUNTED[this.kind] ?? "position";
    this.figures.replaceChildren(figures(progress, count(positions, one), done, failed));
    if (progress.tree) this.tree.replaceChildren(deepTree(progress.tree));
    if (this.shown === state) return; // its buttons may have the focus
    this.shown = state;
    this.element.dataset.state = state;
    this.state.textContent = state;
    this.state.className = `state ${state}`;
    this.actions.replaceChildren(...this.possible(state));
  }

  /** Fetch the tree: a list of jobs has none, and of those that have ended no events come. */
  async look() {
    const job = await this.api.get(`/api/v1/jobs/${this.id}`).catch(() => null);
    if (job !== null && !this.tree.hasChildNodes()) this.progress(job.progress);
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
    return make(
      "button",
      {
        type: "button",
        class: "plain",
        "data-action": action,
        "aria-label": `${text} job ${this.id}`,
        onclick: () => this.act(action),
      },
      text,
    );
  }

  results(format, text) {
    const query = format === "jsonl" ? "" : `?format=${format}`;
    return make(
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
  all,
  done,
  failed,
) {
  const parts = [`${whole(done)} of ${all}`];
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

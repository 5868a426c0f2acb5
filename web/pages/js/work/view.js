/**
 * The work view: a form that starts a job, the jobs with their progress, and the workers. `/work?job=5` highlights
 * a job.
 */

import { facts, make, table } from "../dom.js";
import { VIEWS } from "../views.js";
import { count, duration, messageOf, whole } from "../words.js";
import { Batch } from "./batch.js";
import { JobList } from "./jobs.js";

/** @import {Api} from "../api.js" */
/** @import {Job, Worker, Workers} from "../types.js" */

const PATH = VIEWS.work.address;
const POLL_MS = 5000;

/** @param {HTMLElement} element @param {Api} api */
export function mount(element, api) {
  const live = make("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const announce = (/** @type {string} */ text) => {
    live.textContent = text;
  };
  const jobs = new JobList(api, announce);
  const workers = new WorkerList(api);
  const onStart = (/** @type {Job} */ job) => {
    history.replaceState(null, "", `${PATH}?job=${job.id}`);
    void jobs.refresh(job.id);
    void workers.refresh();
  };
  const batch = new Batch(api, announce, onStart);
  element.replaceChildren(
    make(
      "div",
      { class: "work" },
      make("div", { class: "work-main" }, batch.element, jobs.element),
      make("aside", { class: "work-side", "aria-label": "Workers" }, workers.element),
    ),
    live,
  );

  // A hidden page sends no requests: a browser opens at most six connections to a host in all its tabs, and each
  // stream of events keeps one open.
  const follow = () => {
    const isSeen = location.pathname === PATH && !document.hidden;
    jobs.follow(isSeen);
    workers.follow(isSeen);
  };
  document.addEventListener("visibilitychange", follow);
  element.addEventListener("c4:show", follow);
  new MutationObserver(follow).observe(element, { attributes: true, attributeFilter: ["hidden"] });
  follow();
}

/** The server's threads, the workers, and the waiting work. */
class WorkerList {
  #api;
  #content = make("div", { "data-workers": "" }, quiet("Loading workers …"));
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
    const title = make("h2", { id: "workers-title" }, "Workers");
    this.element = make("section", { "aria-labelledby": "workers-title" }, title, this.#content);
  }

  /** @param {boolean} isSeen */
  follow(isSeen) {
    clearInterval(this.#timer);
    if (!isSeen) return;
    this.#timer = setInterval(() => this.refresh(), POLL_MS);
    void this.refresh();
  }

  async refresh() {
    try {
      /** @type {Workers} */
      const found = await this.#api.get("/api/v1/workers");
      this.#content.replaceChildren(totals(found), machines(found.workers));
    } catch (error) {
      this.#content.replaceChildren(quiet(messageOf(error)));
    }
  }
}

/** @param {string} text */
function quiet(text) {
  return make("p", { class: "quiet" }, text);
}

/** @param {Workers} workers */
function totals({ status, server }) {
  const { positions_per_second: pace, eta_seconds: rest } = status;
  const jobs = server.jobs.map((id) => `job ${id}`).join(", ");
  return facts([
    ["This server", jobs === "" ? "idle" : `working on ${jobs}`],
    ["Server threads", whole(server.threads)],
    ["Waiting", count(status.queued_positions, "position")],
    ["In progress", count(status.running_positions, "position")],
    ["Failed", status.failed_units > 0 ? count(status.failed_units, "unit") : null],
    ["Pace", pace ? `${whole(pace)} positions a second` : null],
    ["Remaining", rest ? duration(rest) : null],
  ]);
}

/** @param {Worker[]} workers */
function machines(workers) {
  if (workers.length === 0) return quiet("No c4 worker is running.");
  const headings = [
    "Worker",
    "Host",
    { text: "Threads", right: true },
    { text: "Positions", right: true },
    { text: "Nodes per second", right: true },
    "Note",
  ];
  const rows = workers.map(({ name, host, threads, positions_done: done, nodes_per_second: pace, note }) => {
    return [name, host, threads, whole(done), pace ? whole(pace) : "–", note ?? ""];
  });
  return table("Running workers", headings, rows, { hidden: true });
}

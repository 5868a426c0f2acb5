/**
 * The work view: a form that starts a job, the jobs with their progress, and the workers. `/work?job=5` highlights
 * a job.
 */

import { button, choice, facts, field, make, quiet, table } from "../dom.js";
import { VIEWS } from "../views.js";
import { count, duration, messageOf, whole } from "../words.js";
import { Batch } from "./batch.js";
import { JobCard } from "./job.js";

/** @import {Api} from "../api.js" */
/** @import {Job, JobProgress, Jobs, Worker, Workers} from "../types.js" */

const PATH = VIEWS.work.address;
const WORKERS_POLL_MS = 5000;

/** Time between two requests for the list. Events report the progress of the newest running jobs. */
const JOBS_POLL_MS = 4000;
const PAGE_JOBS = 30;
const STATES = ["running", "done", "failed", "cancelled"];
const MOVING = ["planning", "running"];

/**
 * Maximum number of event streams. A browser opens at most six connections to a host in all its tabs, and a stream
 * keeps one open while the job runs.
 */
const MOST_STREAMS = 2;

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

/** The list of jobs, the newest first. It is updated while the page is visible. */
class JobList {
  #api;
  #announce;
  #streams;
  /** @type {Map<number, JobCard>} */
  #cards = new Map();
  #pages = 1;
  #state = choice("state", [["", "all"], ...STATES.map((state) => /** @type {const} */ ([state, state]))], "");
  #list = make("ul", { class: "jobs", "data-jobs": "" });
  #note = make("p", { class: "quiet" }, "Loading jobs …");
  #more = button("Show older jobs", () => this.#showMore(), { hidden: true });
  /** @type {ReturnType<typeof setInterval> | null} */
  #timer = null;

  /** @param {Api} api @param {(text: string) => void} announce */
  constructor(api, announce) {
    this.#api = api;
    this.#announce = announce;
    this.#streams = new ProgressStreams(api, (id, progress, hasEnded) => this.#take(id, progress, hasEnded));
    this.#state.addEventListener("change", () => this.refresh());
    const title = make("h2", { id: "jobs-title" }, "Jobs");
    this.element = make(
      "section",
      { "aria-labelledby": "jobs-title" },
      make("div", { class: "head" }, title, field("State", this.#state)),
      this.#note,
      this.#list,
      this.#more,
    );
    api.addEventListener("back", () => this.#timer !== null && this.refresh());
  }

  /** @param {boolean} isSeen */
  follow(isSeen) {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = isSeen ? setInterval(() => this.refresh(), JOBS_POLL_MS) : null;
    if (isSeen) void this.refresh();
    else this.#streams.follow([]);
  }

  /** @param {number | null} [wanted] the job to highlight; by default the job in the address */
  async refresh(wanted = Number(new URLSearchParams(location.search).get("job")) || null) {
    const query = { state: this.#state.value || null, limit: PAGE_JOBS * this.#pages };
    try {
      /** @type {Jobs} */
      const { jobs, next } = await this.#api.get("/api/v1/jobs", query);
      this.#more.hidden = next === null;
      // The job in the address is shown even if it is not on this page of the list.
      if (wanted !== null && query.state === null && !jobs.some(({ id }) => id === wanted)) {
        jobs.unshift(...(await this.#find(wanted)));
      }
      this.#show(jobs, wanted);
    } catch (error) {
      // The jobs stay on the page; the banner says that the server is away.
      if (this.#cards.size === 0) this.#say(messageOf(error));
    }
  }

  /** @param {number} id @returns {Promise<Job[]>} */
  async #find(id) {
    try {
      return [await this.#api.get(`/api/v1/jobs/${id}`)];
    } catch {
      return [];
    }
  }

  #showMore() {
    this.#pages += 1;
    void this.refresh();
  }

  /** @param {Job[]} jobs @param {number | null} wanted */
  #show(jobs, wanted) {
    for (const [id, card] of this.#cards) {
      if (jobs.some((job) => job.id === id)) continue;
      card.element.remove();
      this.#cards.delete(id);
    }
    for (const [place, job] of jobs.entries()) {
      const element = this.#cardOf(job).element;
      element.classList.toggle("chosen", job.id === wanted);
      const there = this.#list.children[place] ?? null;
      // Moving an element would remove its focus.
      if (there !== element) this.#list.insertBefore(element, there);
    }
    const { value } = this.#state;
    this.#say(jobs.length > 0 ? "" : value === "" ? "There are no jobs yet." : `No job is ${value}.`);
    const moving = jobs.filter(({ state }) => MOVING.includes(state));
    if (this.#timer !== null) this.#streams.follow(moving.map(({ id }) => id));
  }

  /** @param {Job} job */
  #cardOf(job) {
    const known = this.#cards.get(job.id);
    known?.show(job);
    const card = known ?? new JobCard(job, this.#api, () => this.refresh());
    this.#cards.set(job.id, card);
    return card;
  }

  /** @param {number} id @param {JobProgress} progress @param {boolean} hasEnded */
  #take(id, progress, hasEnded) {
    this.#cards.get(id)?.showProgress(progress);
    if (!hasEnded) return;
    this.#announce(`Job ${id} is ${progress.state}`);
    void this.refresh();
  }

  /** @param {string} text */
  #say(text) {
    this.#note.textContent = text;
    this.#note.hidden = text === "";
  }
}

/**
 * The progress of the newest running jobs, as server-sent events. The browser reopens a broken stream, which begins
 * with the present state.
 */
class ProgressStreams {
  #api;
  #onProgress;
  /** @type {Map<number, EventSource>} */
  #streams = new Map();

  /** @param {Api} api @param {(id: number, progress: JobProgress, hasEnded: boolean) => void} onProgress */
  constructor(api, onProgress) {
    this.#api = api;
    this.#onProgress = onProgress;
  }

  /** @param {number[]} running */
  follow(running) {
    const wanted = [...running].sort((one, other) => other - one).slice(0, MOST_STREAMS);
    for (const id of this.#streams.keys()) if (!wanted.includes(id)) this.#close(id);
    for (const id of wanted) if (!this.#streams.has(id)) this.#open(id);
  }

  /** @param {number} id */
  #open(id) {
    const stream = this.#api.stream(`/api/v1/jobs/${id}/events`);
    this.#streams.set(id, stream);
    stream.addEventListener("progress", ({ data }) => this.#onProgress(id, JSON.parse(data), false));
    stream.addEventListener("end", ({ data }) => {
      this.#close(id); // otherwise the browser would reopen it
      this.#onProgress(id, JSON.parse(data), true);
    });
    stream.addEventListener("error", () => {
      // The browser does not retry after a response that is not a stream; the next list opens a new stream.
      if (stream.readyState === EventSource.CLOSED && this.#streams.get(id) === stream) this.#close(id);
    });
  }

  /** @param {number} id */
  #close(id) {
    this.#streams.get(id)?.close();
    this.#streams.delete(id);
  }
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
    this.#timer = setInterval(() => this.refresh(), WORKERS_POLL_MS);
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
  ];
  const rows = workers.map(({ name, host, threads, positions_done: done, nodes_per_second: pace }) => {
    return [name, host, threads, whole(done), pace ? whole(pace) : "–"];
  });
  return table("Running workers", headings, rows, { hidden: true });
}

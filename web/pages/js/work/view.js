/**
 * The work view: jobs with their progress, the workers, and the start of a batch by dropping a file.
 *
 * `/work` is the list, `/work?job=5` points at one job of it.
 */

import { make } from "../dom.js";
import { Batch } from "./batch.js";
import { JobList } from "./job_list.js";
import { Workers } from "./workers.js";

const PATH = "/work";

/**
 * Fill the section.
 * @param {HTMLElement} element
 * @param {{api: import("../api.js").Api}} app
 */
export function mount(element, { api }) {
  const live = make("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const announce = (text) => {
    live.textContent = text;
  };
  const jobs = new JobList(api, announce);
  const workers = new Workers(api);
  const batch = new Batch(announce, (job) => {
    history.replaceState(null, "", `${PATH}?job=${job.id}`);
    jobs.refresh(job.id);
    workers.refresh();
  });
  element.replaceChildren(
    make(
      "div",
      { class: "work" },
      make("div", { class: "work-main" }, batch.element, jobs.element),
      make("aside", { class: "work-side", "aria-label": "Workers" }, workers.element),
    ),
    live,
  );

  // A page that nobody sees asks nothing: browsers allow six connections to a host, of all its tabs
  // together, and a stream of events takes one for as long as it is open.
  const follow = () => {
    const seen = location.pathname === PATH && !document.hidden;
    jobs.follow(seen);
    workers.follow(seen);
  };
  document.addEventListener("visibilitychange", follow);
  element.addEventListener("c4:show", follow);
  new MutationObserver(follow).observe(element, { attributes: true, attributeFilter: ["hidden"] });
  follow();
}

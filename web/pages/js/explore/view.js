/**
 * The explorer: the book, stored positions, games and matches.
 *
 * What is shown is in the address (`/explore?show=match&match=3`), so that every page of it is a link
 * and the way back works. Each page is a module with a function that is asked to fill the section.
 */

import { ApiError } from "../api.js";
import { make } from "../dom.js";
import { sentence } from "../game/notation.js";
import { showBook } from "./book.js";
import { showGame } from "./game.js";
import { showGames } from "./games.js";
import { showMatch } from "./match.js";
import { showMatches } from "./matches.js";
import { showPositions } from "./positions.js";
import { address, given } from "./requests.js";

const PATH = "/explore";
const TOO_MANY = 429;
const PAGES = {
  book: { show: showBook, tab: "book" },
  positions: { show: showPositions, tab: "positions" },
  games: { show: showGames, tab: "games" },
  game: { show: showGame, tab: "games" },
  matches: { show: showMatches, tab: "matches" },
  match: { show: showMatch, tab: "matches" },
};
const TABS = [
  ["book", "Book"],
  ["positions", "Positions"],
  ["games", "Games"],
  ["matches", "Matches"],
];

/**
 * What a page gets.
 * @typedef {Object} Page
 * @property {HTMLElement} body to fill.
 * @property {URLSearchParams} query what the address says.
 * @property {(path: string, query?: Object<string, any>) => Promise<any>} get asks the server; the
 *     question is dropped when another page is shown.
 * @property {(query: Object<string, any>) => void} go shows another page.
 * @property {(query: Object<string, any>) => string} link the address of another page.
 * @property {(text: string) => void} announce tells a screen reader.
 * @property {AbortSignal} signal says when another page is shown.
 */

/**
 * Fill the section.
 * @param {HTMLElement} element
 * @param {{api: import("../api.js").Api, navigate: (address: string) => void}} app
 */
export function mount(element, { api, navigate }) {
  new Explorer(element, api, navigate).show();
}

class Explorer {
  constructor(element, api, navigate) {
    this.api = api;
    this.navigate = navigate;
    this.tabs = make("nav", { class: "subtabs", "aria-label": "Explorer" });
    this.body = make("div", { class: "page", "data-explore": "" });
    this.live = make("p", { class: "unseen", role: "status", "aria-live": "polite" });
    element.replaceChildren(this.tabs, this.body, this.live);
    element.addEventListener("click", (event) => this.follow(event));
    element.addEventListener("c4:show", () => this.show());
    this.running = null;
    this.shown = null;
  }

  /** Follow a link to another page of the explorer without loading everything again. */
  follow(event) {
    const link = event.target.closest("a[href]");
    const plain =
      event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!link || !plain || link.hasAttribute("download")) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || url.pathname !== PATH) return;
    event.preventDefault();
    this.visit(url.pathname + url.search);
  }

  visit(url) {
    if (url !== location.pathname + location.search) history.pushState(null, "", url);
    this.show();
  }

  /** Show what the address says. */
  async show() {
    if (location.pathname !== PATH || this.shown === location.search) return;
    this.shown = location.search;
    const query = new URLSearchParams(location.search);
    const name = PAGES[query.get("show")] ? query.get("show") : "book";
    this.running?.abort();
    const running = (this.running = new AbortController());
    this.mark(PAGES[name].tab);
    this.body.setAttribute("aria-busy", "true");
    const body = make("div", { class: `page-${name}` });
    try {
      await PAGES[name].show(this.page(body, query, running.signal));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.refuse(body, error);
    }
    if (running.signal.aborted) return;
    this.body.replaceChildren(body);
    this.body.removeAttribute("aria-busy");
  }

  page(body, query, signal) {
    const link = (values) => address(PATH, values);
    return {
      body,
      query,
      signal,
      get: (path, values) => this.api.get(path, given(values ?? {}), signal),
      link,
      go: (values) => this.visit(link(values)),
      announce: (text) => {
        this.live.textContent = text;
      },
    };
  }

  mark(tab) {
    this.tabs.replaceChildren(
      ...TABS.map(([name, text]) =>
        make(
          "a",
          { href: address(PATH, { show: name }), "aria-current": name === tab ? "page" : null },
          text,
        ),
      ),
    );
  }

  refuse(body, error) {
    const again = () => {
      this.shown = null;
      this.show();
    };
    // What the server has refused it would refuse again.
    const isFinal = error instanceof ApiError && error.status < 500 && error.status !== TOO_MANY;
    body.replaceChildren(
      make(
        "div",
        { class: "failure", role: "alert" },
        make("p", {}, sentence(error.message)),
        isFinal ? null : make("button", { type: "button", class: "plain", onclick: again }, "Try again"),
      ),
    );
  }
}

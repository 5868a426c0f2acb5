/**
 * The explorer: the book, stored positions, games and matches. Each page of the explorer has an address, such as
 * `/explore?show=match&match=3`, so links and the back button work.
 */

import { ApiError, addressWith, isAbort } from "../api.js";
import { button, field, make } from "../dom.js";
import { VIEWS } from "../views.js";
import { messageOf, sentence } from "../words.js";
import { showBook } from "./book.js";
import { showGame, showGames } from "./games.js";
import { showMatch, showMatches } from "./matches.js";
import { showPositions } from "./positions.js";

/** @import {Api, Query} from "../api.js" */
/** @typedef {{show: (page: Page) => Promise<void>, tab?: string, within?: string}} PageEntry */

const PATH = VIEWS.explore.address;

/**
 * The registry of pages. A page has its own tab, or belongs to the tab of another page.
 * @type {Readonly<Record<string, PageEntry>>}
 */
const PAGES = Object.freeze({
  book: { show: showBook, tab: "Book" },
  positions: { show: showPositions, tab: "Positions" },
  games: { show: showGames, tab: "Games" },
  game: { show: showGame, within: "games" },
  matches: { show: showMatches, tab: "Matches" },
  match: { show: showMatch, within: "matches" },
});

/** @param {HTMLElement} element @param {Api} api */
export function mount(element, api) {
  new Explorer(element, api).show();
}

/** A page of the explorer, which a function fills. */
export class Page {
  #api;
  #explorer;

  /**
   * @param {Explorer} explorer @param {Api} api
   * @param {string} name
   * @param {URLSearchParams} query the query of the address
   * @param {AbortSignal} signal aborts when another page is shown
   */
  constructor(explorer, api, name, query, signal) {
    this.#explorer = explorer;
    this.#api = api;
    this.name = name;
    this.query = query;
    this.signal = signal;
    this.body = make("div", { class: `page-${name}` });
  }

  /**
   * A value of the query, or "".
   * @param {string} name
   */
  value(name) {
    return this.query.get(name) ?? "";
  }

  /**
   * Ask the server. The request is cancelled when another page is shown.
   * @template Answer
   * @param {string} path @param {Query} [query]
   * @returns {Promise<Answer>}
   */
  get(path, query = {}) {
    return this.#api.get(path, given(query), this.signal);
  }

  /** @param {Query} query `show` is the name of the page */
  link(query) {
    return addressWith(PATH, given(query));
  }

  /** @param {Query} query */
  go(query) {
    this.#explorer.visit(this.link(query));
  }

  /** @param {string} text */
  announce(text) {
    this.#explorer.announce(text);
  }

  /**
   * Make a form whose fields become the query of the page.
   * @param {string} submit the button's text @param {[label: string, input: HTMLElement][]} fields
   */
  form(submit, fields) {
    const onsubmit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const form = /** @type {HTMLFormElement} */ (event.currentTarget);
      const values = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
      this.go({ show: this.name, ...Object.fromEntries(values) });
    };
    return make(
      "form",
      { class: "filter", onsubmit },
      ...fields.map(([label, input]) => field(label, input)),
      make("button", { type: "submit", class: "plain" }, submit),
    );
  }

  /**
   * Make links to the other pages of a list.
   * @param {string | null} next the server's cursor of the next page; null on the last page
   * @returns {HTMLElement | null} null if the list has one page
   */
  paging(next) {
    const { cursor, ...first } = Object.fromEntries(this.query);
    if (next === null && cursor === undefined) return null;
    return make(
      "nav",
      { class: "paging", "aria-label": "Pages" },
      cursor === undefined ? make("span") : make("a", { href: this.link(first) }, "First page"),
      next === null
        ? make("span", { class: "quiet" }, "Last page")
        : make("a", { href: this.link({ ...first, cursor: next }), rel: "next" }, "Next page"),
    );
  }
}

class Explorer {
  #api;
  #tabs = make("nav", { class: "subtabs", "aria-label": "Explorer" });
  #body = make("div", { class: "page", "data-explore": "" });
  #live = make("p", { class: "unseen", role: "status", "aria-live": "polite" });
  #control = new AbortController();
  /** The query of the page that is shown. @type {string | null} */
  #shown = null;

  /** @param {HTMLElement} element @param {Api} api */
  constructor(element, api) {
    this.#api = api;
    element.replaceChildren(this.#tabs, this.#body, this.#live);
    element.addEventListener("click", (event) => this.#follow(event));
    element.addEventListener("c4:show", () => this.show());
  }

  /** @param {string} text */
  announce(text) {
    this.#live.textContent = text;
  }

  /** @param {string} address */
  visit(address) {
    if (address !== location.pathname + location.search) history.pushState(null, "", address);
    void this.show();
  }

  async show() {
    if (location.pathname !== PATH || this.#shown === location.search) return;
    this.#shown = location.search;
    const query = new URLSearchParams(location.search);
    const wanted = query.get("show") ?? "";
    const name = Object.hasOwn(PAGES, wanted) ? wanted : "book";
    this.#control.abort();
    this.#control = new AbortController();
    const { signal } = this.#control;
    const page = new Page(this, this.#api, name, query, signal);
    this.#showTabs(name);
    this.#body.setAttribute("aria-busy", "true");
    try {
      await this.#api.players().catch(() => []); // for the names of levels
      await PAGES[name].show(page);
    } catch (error) {
      if (isAbort(error)) return;
      page.body.replaceChildren(this.#failure(error));
    }
    if (signal.aborted) return;
    this.#body.replaceChildren(page.body);
    this.#body.removeAttribute("aria-busy");
  }

  /**
   * Follow a link within the explorer without loading the page again.
   * @param {MouseEvent} event
   */
  #follow(event) {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (link === null || !isPlain || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || link.pathname !== PATH) return;
    event.preventDefault();
    this.visit(link.pathname + link.search);
  }

  /** @param {string} name the current page */
  #showTabs(name) {
    const current = PAGES[name].within ?? name;
    const tabs = Object.entries(PAGES).flatMap(([show, { tab }]) => {
      if (tab === undefined) return [];
      const href = addressWith(PATH, { show });
      return [make("a", { href, "aria-current": show === current ? "page" : null }, tab)];
    });
    this.#tabs.replaceChildren(...tabs);
  }

  /** @param {unknown} error */
  #failure(error) {
    const again = button("Try again", () => {
      this.#shown = null;
      void this.show();
    });
    const isFinal = error instanceof ApiError && error.isFinal;
    const words = make("p", {}, sentence(messageOf(error)));
    return make("div", { class: "failure", role: "alert" }, words, isFinal ? null : again);
  }
}

/**
 * A query without its empty values: an empty field of a form is not a condition.
 * @param {Query} query @returns {Query}
 */
function given(query) {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}

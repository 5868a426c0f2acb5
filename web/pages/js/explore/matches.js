/** Stored matches: a list, and of the matches of one tournament everybody against everybody. */

import { make } from "../dom.js";
import { table } from "./parts.js";
import { asked, paging } from "./paging.js";
import { crossTable, tournaments } from "./tournament.js";
import { count, moment, percent, short, whole } from "./wording.js";

const PAGE_ROWS = 50;

/** @param {import("./view.js").Page} page */
export async function showMatches(page) {
  const query = asked(page, "cursor");
  const { matches, next } = await page.get("/api/v1/matches", { ...query, limit: PAGE_ROWS });
  page.body.append(
    table(
      "Stored matches",
      [
        "Match",
        "A",
        "B",
        { text: "Games", right: true },
        { text: "A won – lost – drawn", right: true },
        { text: "Score of A", right: true },
        "Begun",
      ],
      matches.map((match) => row(page, match)),
      { empty: "No match is stored. c4 match and c4 tournament play them." },
    ),
    paging(page, next) ?? "",
    ...tournaments(matches).map((found) => crossTable(page, found)),
  );
  page.announce(count(matches.length, "match", "matches"));
}

function row(page, match) {
  const { a, b } = match;
  const label = match.label ? `${match.match}, ${match.label}` : String(match.match);
  return [
    make(
      "a",
      { href: page.link({ show: "match", match: match.match }), "data-match": match.match },
      label,
    ),
    make("span", { title: a.player }, short(a.player)),
    make("span", { title: b.player }, short(b.player)),
    match.finished ? whole(match.games) : `${whole(match.games)}, being played`,
    `${whole(a.wins)} – ${whole(a.losses)} – ${whole(a.draws)}`,
    percent(a.score),
    moment(match.created),
  ];
}

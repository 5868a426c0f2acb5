/**
 * Types of the API's answers. This file has no code; modules name it in an `@import` comment, which only the type
 * checker reads. /api/v1/openapi.json describes the same objects. Scores are for the side to move unless a comment
 * says otherwise; columns count from 1.
 */

/** @typedef {"x" | "o"} Side `x` moves first and is red; `o` is yellow */
/** @typedef {"win" | "draw" | "loss"} Value */
/** @typedef {"??" | "?" | "!" | ""} Mark the mark of a move in a review; "" for none */
/** @typedef {{moves: string, board: string} | {grid: string, board: string}} Question a position in a request */

/**
 * @typedef {{
 *   kind: string, side: Side, moves: number[], columns: number[], squares: [number, number][], text: string,
 * }} Reason why a move is good or bad; `moves` begins with the move, and the text has x and o
 *
 * @typedef {{
 *   column: number, playable: boolean, score: number | null, lower: number | null, upper: number | null,
 *   value: Value | null, plies: number | null, best: boolean,
 * }} ColumnAnswer `lower` and `upper` are proven bounds of the score, null for a full column
 *
 * @typedef {{
 *   favoured: "win" | "loss" | null, share: number | null, published: number | null, columns: (number | null)[],
 * }} Estimate a guess, not proven: the expected result for the side to move, from 0 to 1, and after each column; the
 *   published score of an empty board; null for a proven result. `favoured` is null if it is too close to call
 *
 * @typedef {{
 *   moves: string | null, grid: string, key: string, score: number | null, lower: number, upper: number, complete: boolean, value: Value | null,
 *   plies: number | null, columns: ColumnAnswer[], best: number[], line: string | null, reason: Reason | null, estimate: Estimate | null,
 *   source: "book" | "db" | "search" | "rules", nodes: number, seconds: number, queued: number | null,
 * }} PositionAnswer the answer of GET /api/v1/position; `moves` is null if the request had none; `queued` is the job that
 *   continues the search
 */

/**
 * Answers of GET and POST /api/v1/game. Scores are for the side that moved.
 *
 * @typedef {{
 *   ply: number, side: Side, column: number, before: number | null, after: number | null, best: number[], keeps: number[],
 *   mark: Mark, reason: Reason | null, better: Reason | null,
 * }} JudgedMove
 *
 * @typedef {{
 *   board: string, start: string | null, moves: string | null, first: string | null, second: string | null,
 *   complete: boolean, not_judged: number, accuracy: Record<Side, number | null>, best_moves: Record<Side, number | null>,
 *   moves_judged: JudgedMove[],
 * }} ReviewAnswer
 */

/**
 * Answers of GET /api/v1/puzzles.
 *
 * @typedef {{
 *   match: number | null, number: number | null, board: string, moves: string | null, grid: string, side: Side,
 *   keeps: "win" | "draw", solution: number, line: string, length: number, difficulty: number,
 * }} Puzzle
 *
 * @typedef {{puzzles: Puzzle[], complete: boolean}} Puzzles `complete`: the budget was enough
 */

/**
 * Answers of GET /api/v1/players and POST /api/v1/move.
 *
 * @typedef {{
 *   name: string, type: "whole" | "number" | "flag" | "choice" | "digits" | "file" | "text",
 *   low: number | null, high: number | null, choices: string[] | null, default: string | number | boolean | null,
 *   required: boolean, optional: boolean, summary: string,
 * }} Parameter `optional`: `none` is allowed
 *
 * @typedef {{
 *   name: string, stands_for: string | null, summary: string, argument: string | null, parameters: Parameter[],
 *   available: boolean, reason: string | null,
 * }} Player `reason`: why it is not available; `argument`: the name of the text after the colon
 *
 * @typedef {{column: number, player: string}} MoveAnswer `player` has every parameter
 */

/**
 * Answers of GET /api/v1/book.
 *
 * @typedef {{
 *   column: number, moves: string | null, score: number | null, plies: number | null, continuations: number,
 * }} BookMove
 *
 * @typedef {{
 *   games: number,
 *   columns: {
 *     column: number, games: number, wins: number, draws: number, losses: number,
 *     players: {player: string, games: number}[],
 *   }[],
 * }} Openings
 *
 * @typedef {{
 *   board: string, side: Side, book: {name: string, plies: number, positions: number} | null,
 *   score: number | null, counted_ply: number | null, children: BookMove[],
 * }} BookPosition
 */

/**
 * Answers of GET /api/v1/evaluations. `next` is the cursor of the next page.
 *
 * @typedef {{
 *   board: string, ply: number, key: string, side: Side, score: number | null, lower: number, upper: number,
 *   plies: number | null, best: number[] | null, nodes: number, grid: string,
 * }} StoredPosition
 *
 * @typedef {{rows: StoredPosition[], next: string | null}} StoredPositions
 */

/**
 * Answers of GET /api/v1/games and GET /api/v1/games/{match}/{number}.
 *
 * @typedef {{
 *   match: number, number: number, board: string, winner: Side | null, ending: string, length: number,
 *   moves?: string, first?: string, second?: string, seed?: string, start_grid?: string, final_grid?: string,
 *   detail?: string, x_seconds?: number, o_seconds?: number,
 * }} Game
 *
 * @typedef {{games: Game[], next: string | null}} Games
 */

/**
 * Answers of GET /api/v1/matches and GET /api/v1/matches/{id}.
 *
 * @typedef {{wins: number, losses: number, draws: number}} Tally
 * @typedef {Tally & {score: number | null}} Results
 * @typedef {{moves: number, best_share: number | null, blunder_share: number | null, mean_loss: number | null}}
 *   Accuracy
 *
 * @typedef {{
 *   match: number, label: string | null, job: number | null, created: string, finished: boolean, games: number,
 * }} AnyMatch
 *
 * @typedef {AnyMatch & {a: Results & {player: string}, b: Results & {player: string}}} MatchSummary
 * @typedef {{matches: MatchSummary[], next: string | null}} Matches
 *
 * @typedef {Results & {
 *   player: string, as_x: Results, as_o: Results, forfeits: number, seconds_per_move: number | null,
 *   accuracy: Accuracy | null, accuracy_by_ply: (Accuracy & {ply: number})[],
 * }} MatchPlayer
 *
 * @typedef {AnyMatch & {
 *   a: MatchPlayer, b: MatchPlayer, distinct_games: number, first_mover: Results,
 *   decisive_rate: number | null, decisive_interval: [number, number] | null, leader: "a" | "b" | null,
 *   p_two_sided: number | null, significant: boolean,
 *   elo: {difference: number | null, low: number | null, high: number | null} | null,
 *   sprt: {ratio: number | null, verdict: string | null} | null,
 *   length: {mean: number | null, shortest: number, longest: number},
 *   time: {seconds: number, per_move: number | null}, judged_games: number, judged_from: number,
 *   course: {
 *     games: number[], wins: number[], losses: number[], draws: number[],
 *     low: (number | null)[], high: (number | null)[],
 *   },
 * }} MatchReport the decisive rate and its interval are the leader's
 */

/**
 * Answers of /api/v1/jobs. Scores in the tree of a deep job are for the side to move at its start.
 *
 * @typedef {"planning" | "running" | "done" | "failed" | "cancelled"} JobState
 * @typedef {{lower: number, upper: number}} Bounds
 *
 * @typedef {Bounds & {
 *   asked: number | null, moves: (Bounds | null)[],
 * }} JobTree `asked` is null when the score is proven; a move is null if its column cannot be played
 *
 * @typedef {{
 *   state: JobState, silent_seconds: number | null, positions: number, positions_done: number,
 *   positions_failed: number, nodes: number, positions_per_second?: number | null, eta_seconds?: number | null,
 *   tree?: JobTree,
 * }} JobProgress `silent_seconds` is the time since a process last worked on an open job; null if none has
 *
 * @typedef {{
 *   id: number, kind: string, board: string, state: JobState, label: string | null, created_at: string,
 *   silent_seconds: number | null, positions: Record<string, number>, nodes: number, errors: string[],
 *   progress?: JobProgress,
 * }} Job `progress` is missing in lists
 *
 * @typedef {{line: number, field: string, error: string}} BadLine
 * @typedef {Job & {bad_lines?: {number: number, first: BadLine[]}}} NewJob the answer of POST /api/v1/jobs
 *
 * @typedef {{jobs: Job[], next: string | null}} Jobs
 */

/**
 * A line of GET /api/v1/jobs/{job}/results of a job of kind analyze; it has a `key` if `moves` is null.
 *
 * @typedef {{
 *   moves: string | null, key?: string, board: string, side: Side, score: number | null, lower?: number,
 *   upper?: number, value: Value | null, plies: number | null, best?: number[],
 * }} SolvedLine
 *
 * @typedef {SolvedLine | {error: string}} Result
 */

/**
 * Answers of GET /api/v1/workers.
 *
 * @typedef {{
 *   name: string, host: string, threads: number, positions_done: number, nodes_per_second: number | null,
 * }} Worker
 *
 * @typedef {{
 *   workers: Worker[],
 *   status: {
 *     queued_positions: number, running_positions: number, failed_units: number,
 *     positions_per_second: number | null, eta_seconds: number | null,
 *   },
 *   server: {threads: number, jobs: number[], is_writable: boolean},
 * }} Workers
 */

export {};

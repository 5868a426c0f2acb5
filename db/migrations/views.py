"""The views for other programs; docs/sql.md describes them."""

from __future__ import annotations

from typing import Final

SQLITE_KEY: Final = """CASE WHEN {key} < 0 THEN {key} + 9223372036854775807 + 1
        WHEN {key} >= 0 THEN printf('%u', {key} - 9223372036854775807 - 1) END"""
# A whole number; a text if the number is too large for SQLite.

POSTGRESQL_KEY: Final = "CAST({key} AS NUMERIC) + 9223372036854775808"

SQLITE_FIRST: Final = "(a % 1000000000 * 4294967296 + b)"
SQLITE_SECOND: Final = f"({SQLITE_FIRST} % 1000000000 * 4294967296 + c)"
SQLITE_THIRD: Final = f"({SQLITE_SECOND} % 1000000000 * 4294967296 + d)"

SQLITE_WHOLE_KEY: Final = f"""CASE WHEN {{high}} = 0 THEN {SQLITE_KEY} ELSE (
        WITH RECURSIVE parts (a, b, c, d, digits) AS (
            SELECT {{high}} >> 32 & 4294967295, {{high}} & 4294967295,
                ({{key}} >> 32) + 2147483648, {{key}} & 4294967295, ''
            UNION ALL SELECT a / 1000000000, {SQLITE_FIRST} / 1000000000,
                {SQLITE_SECOND} / 1000000000, {SQLITE_THIRD} / 1000000000,
                printf('%09d', {SQLITE_THIRD} % 1000000000) || digits
            FROM parts WHERE a + b + c + d > 0
        ) SELECT ltrim(digits, '0') FROM parts WHERE a + b + c + d = 0
    ) END"""  # noqa: S608 (constants)
# A number of four 32-bit parts is divided by 10^9 until it is 0.

POSTGRESQL_WHOLE_KEY: Final = f"""CASE WHEN {{high}} = 0 THEN {POSTGRESQL_KEY} ELSE {POSTGRESQL_KEY}
        + (CAST({{high}} AS NUMERIC) + CASE WHEN {{high}} < 0 THEN 18446744073709551616 ELSE 0 END)
        * 18446744073709551616 END"""

SQLITE_TIME: Final = "strftime('%Y-%m-%d %H:%M:%S', {time}, 'unixepoch')"
POSTGRESQL_TIME: Final = "date_trunc('second', to_timestamp({time}) AT TIME ZONE 'UTC')"

SQLITE_SCORES: Final = """(
        WITH RECURSIVE bytes (n, byte) AS (
            SELECT 1, CASE WHEN scores IS NULL THEN NULL ELSE hex(substr(scores, 1, 1)) END
            UNION ALL SELECT n + 1, hex(substr(scores, n + 1, 1)) FROM bytes
            WHERE n < width AND byte NOT NULL
        ), numbers (n, score) AS (
            SELECT n, (instr('0123456789ABCDEF', substr(byte, 1, 1)) - 1 + 8) % 16 * 16
                + instr('0123456789ABCDEF', substr(byte, 2, 1)) - 1 - 128 FROM bytes
            WHERE byte NOT NULL
        ){rest}
    )"""

SQLITE_ALL_SCORES: Final = SQLITE_SCORES.format(
    rest=""", texts (n, list) AS (
            SELECT 0, '' UNION ALL SELECT numbers.n, ltrim(list || ' '
                || CASE score WHEN -128 THEN '.' ELSE score END)
            FROM texts JOIN numbers ON numbers.n = texts.n + 1
        ) SELECT list FROM texts WHERE n = width"""
)

SQLITE_BEST: Final = SQLITE_SCORES.format(
    rest=""", texts (n, list) AS (
            SELECT 0, '' UNION ALL SELECT numbers.n,
                CASE WHEN score = lower THEN ltrim(list || ' ' || numbers.n) ELSE list END
            FROM texts JOIN numbers ON numbers.n = texts.n + 1
        ) SELECT list FROM texts WHERE n = width"""
)

POSTGRESQL_BYTE: Final = "(get_byte(scores, n) + 128) % 256 - 128"

POSTGRESQL_ALL_SCORES: Final = f"""(
        SELECT string_agg(CASE {POSTGRESQL_BYTE} WHEN -128 THEN '.'
            ELSE CAST({POSTGRESQL_BYTE} AS TEXT) END, ' ' ORDER BY n)
        FROM generate_series(0, width - 1) AS n WHERE scores IS NOT NULL
    )"""  # noqa: S608 (constants)

POSTGRESQL_BEST: Final = f"""(
        SELECT string_agg(CAST(n + 1 AS TEXT), ' ' ORDER BY n)
        FROM generate_series(0, width - 1) AS n
        WHERE scores IS NOT NULL AND {POSTGRESQL_BYTE} = lower
    )"""  # noqa: S608 (constants)


def views(key: str, seed: str, time: str, all_scores: str, best: str) -> tuple[str, str, str]:
    """The statements that create the views, in the SQL of one database."""
    positions = f"""
CREATE VIEW c4_positions AS SELECT
    width || 'x' || height AS board,
    {key.format(key="key", high="key_high")} AS key,
    ply,
    CASE ply % 2 WHEN 0 THEN 'x' ELSE 'o' END AS side,
    lower,
    upper,
    CASE WHEN lower = upper THEN lower END AS score,
    CASE WHEN lower > 0 THEN 'win' WHEN upper < 0 THEN 'loss'
        WHEN lower = 0 AND upper = 0 THEN 'draw' END AS value,
    {all_scores} AS column_scores,
    {best} AS best_columns,
    nodes,
    engine_version,
    {time.format(time="updated_at")} AS updated
FROM evaluations"""  # noqa: S608
    games = f"""
CREATE VIEW c4_games AS SELECT
    games.match_id AS match,
    games.number AS number,
    matches.label AS label,
    matches.width || 'x' || matches.height AS board,
    CASE WHEN a_is_x THEN player_a ELSE player_b END AS player_x,
    CASE WHEN a_is_x THEN player_b ELSE player_a END AS player_o,
    CASE WHEN ending = 'unfinished' THEN NULL WHEN winner = 1 THEN 'x' WHEN winner = -1 THEN 'o'
        ELSE 'draw' END AS winner,
    ending,
    detail,
    length,
    moves,
    {key.format(key="final_key", high="final_key_high")} AS final_key,
    {seed.format(key="seed")} AS seed,
    x_seconds,
    o_seconds
FROM games JOIN matches ON games.match_id = matches.id"""  # noqa: S608
    jobs = f"""
CREATE VIEW c4_jobs AS SELECT
    jobs.id AS job,
    kind,
    label,
    width || 'x' || height AS board,
    state,
    priority,
    (SELECT count(*) FROM units WHERE job_id = jobs.id) AS units,
    (SELECT count(*) FROM units WHERE job_id = jobs.id AND state = 'done') AS units_done,
    (SELECT count(*) FROM units WHERE job_id = jobs.id AND state = 'failed') AS units_failed,
    (SELECT coalesce(sum(positions), 0) FROM units WHERE job_id = jobs.id) AS positions,
    (SELECT coalesce(sum(positions), 0) FROM units WHERE job_id = jobs.id AND state = 'done')
        AS positions_done,
    engine_version,
    {time.format(time="created_at")} AS created,
    {time.format(time="started_at")} AS started,
    {time.format(time="finished_at")} AS finished
FROM jobs"""  # noqa: S608
    return positions, games, jobs


VIEWS: Final = {
    "sqlite": views(SQLITE_WHOLE_KEY, SQLITE_KEY, SQLITE_TIME, SQLITE_ALL_SCORES, SQLITE_BEST),
    "postgresql": views(
        POSTGRESQL_WHOLE_KEY,
        POSTGRESQL_KEY,
        POSTGRESQL_TIME,
        POSTGRESQL_ALL_SCORES,
        POSTGRESQL_BEST,
    ),
}

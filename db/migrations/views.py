"""The views for other programs; docs/sql.md describes them."""

from __future__ import annotations

from typing import Final

SQLITE_NUMBER: Final = """CASE WHEN {number} < 0 THEN {number} + 9223372036854775807 + 1
        WHEN {number} >= 0 THEN printf('%u', {number} - 9223372036854775807 - 1) END"""
# A whole number; a text if the number is too large for SQLite.

POSTGRESQL_NUMBER: Final = "CAST({number} AS NUMERIC) + 9223372036854775808"

SQLITE_TIME: Final = "strftime('%Y-%m-%d %H:%M:%S', {time}, 'unixepoch')"
POSTGRESQL_TIME: Final = "date_trunc('second', to_timestamp({time}) AT TIME ZONE 'UTC')"


def views(number: str, time: str, scores: str) -> tuple[str, str, str]:
    """The statements that create the views, in the SQL of one database."""
    key = "CASE WHEN {high} = 0 THEN " + number.format(number="{key}") + " END"
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
    {scores} AS column_scores,
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
    {number.format(number="seed")} AS seed,
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
    "sqlite": views(SQLITE_NUMBER, SQLITE_TIME, "nullif(hex(scores), '')"),
    "postgresql": views(POSTGRESQL_NUMBER, POSTGRESQL_TIME, "upper(encode(scores, 'hex'))"),
}

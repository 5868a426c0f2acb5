"""What ``c4 deep`` says in the end: the score, and what proves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.shell.settings import Settings
    from workers.deep.answer import DeepAnswer


def write_answer(
    settings: Settings, answer: DeepAnswer, seconds: float, *, zero_based: bool
) -> None:
    """Write the answer: an object with ``--json``, else for people.

    Args:
        settings: say which.
        answer: of the job.
        seconds: how long the command has waited for it.
        zero_based: count columns from 0.
    """
    if settings.json:
        from cli.output.formats import write_object

        write_object(as_object(answer, seconds, zero_based=zero_based))
    else:
        _show(answer, seconds, zero_based=zero_based)


def as_object(answer: DeepAnswer, seconds: float, *, zero_based: bool) -> dict[str, object]:
    """The answer as a JSON object: what ``c4 solve`` writes, and what proves it."""
    from c4core.notation import format_moves, parse_moves
    from workers.positions.results import Answer, answer_object

    position, standing, proof = answer.position, answer.standing, answer.proof
    columns = parse_moves(answer.moves, width=position.width)
    known = Answer(standing.lower, standing.upper, nodes=answer.job.nodes, seconds=seconds)
    fields: dict[str, object] = dict(
        answer_object(
            known,
            board=position.board,
            ply=position.ply,
            moves=format_moves(columns, zero_based=zero_based),
        )
    )
    shift = 0 if zero_based else 1
    fields["moves_proven"] = [
        None if bounds is None else {"lower": bounds.lower, "upper": bounds.upper}
        for bounds in standing.moves
    ]
    fields["best"] = [column + shift for column in answer.best]
    fields["pv"] = format_moves(answer.line, zero_based=zero_based)
    fields["pv_is_complete"] = answer.line_is_complete
    fields["proof"] = {
        "derived": proof.derived,
        "searched": proof.searched,
        "nodes": proof.nodes,
        "missing": len(proof.missing),
    }
    fields["pieces"] = {
        "decided": standing.decided,
        "split": standing.split,
        "cut": standing.cut,
        "failed": standing.failed,
    }
    fields["job"] = answer.job.id
    return fields


def _show(answer: DeepAnswer, seconds: float, *, zero_based: bool) -> None:
    from rich.text import Text

    from c4core.notation import format_moves, parse_moves
    from cli.output import render
    from cli.output.render import count, duration
    from cli.work.tree_view import moves_text
    from workers.positions.results import Answer

    out = render.console()
    position, standing, proof = answer.position, answer.standing, answer.proof
    if answer.moves:
        columns = parse_moves(answer.moves, width=position.width)
        out.print(Text(format_moves(columns, zero_based=zero_based), style="bold"))
    out.print(render.board(position, None, zero_based=zero_based))
    out.print(render.verdict(position, Answer(standing.lower, standing.upper)))
    out.print(f"columns: {moves_text(standing, zero_based=zero_based)}")
    if answer.best:
        noun = "best column: " if len(answer.best) == 1 else "proven best: "
        out.print(noun + render.labels(answer.best, zero_based=zero_based))
    if answer.line:
        dots = "" if answer.line_is_complete else " .."
        out.print(f"best play: {format_moves(answer.line, zero_based=zero_based)}{dots}")
    claims = f"{count(proof.searched, 'searched claim')} ({count(proof.nodes, 'node')})"
    rests = f"{claims} and {proof.derived:,} that follow from them"
    if proof.missing:
        rests += f"; {count(len(proof.missing), 'claim')} cannot be found in the database"
    out.print(f"proof: {rests}")
    pieces = standing.decided + standing.split
    effort = f"{count(answer.job.nodes, 'node')} in {count(pieces, 'piece')}, {duration(seconds)}"
    out.print(Text(effort, style="dim"))

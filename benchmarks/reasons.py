"""The share of blunders whose review has a reason, and a proof of every reason.

::

    c4 tournament beginner easy medium hard expert --games 100
    for match in 1 2 3 4 5 6 7 8 9 10; do c4 games export $match; done > games.jsonl
    python -m benchmarks reasons blunders games.jsonl
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, BinaryIO

import click

from benchmarks.options import WITH_HELP, seed_option
from c4core.arena.file_formats import read_json_games
from c4core.arena.files import GameEntry
from c4core.reasons import is_proven
from workers.answers.service import AnswerService
from workers.match.reviews import moved_from, review_game

if TYPE_CHECKING:
    from c4core.reasons import Reason


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Count and prove the reasons of blunders."""


def _kind(reason: Reason) -> str:
    is_near = len(reason.moves) <= 2 or reason.kind == "forced"  # noqa: PLR2004
    return reason.kind if is_near else f"{reason.kind} after best play"


@main.command()
@click.argument("file", type=click.File("rb"))
@click.option("--examples", type=click.IntRange(0), default=20, show_default=True)
@seed_option
def blunders(file: BinaryIO, *, examples: int, seed: int) -> None:
    """Review the games of a file, and prove every reason by playing moves."""
    service = AnswerService(None, threads=1, table_mb=64)
    kinds: Counter[str] = Counter()
    found, false, sentences = 0, 0, []
    for entry in read_json_games(file):
        if not isinstance(entry, GameEntry):
            raise click.ClickException(entry.error)
        review = review_game(entry, service, budget=None)
        for move, position in zip(review.moves, moved_from(entry), strict=True):
            reasons = [reason for reason in (move.reason, move.better) if reason is not None]
            false += sum(not is_proven(reason, position) for reason in reasons)
            if move.judged is None or move.judged.mark != "??":
                continue
            found += 1
            kinds[_kind(reasons[0]) if reasons else "none"] += 1
            sentences.append((position.moves, move.column + 1, [one.text for one in reasons]))
    service.close()
    explained = found - kinds["none"]
    click.echo(f"{found} blunders, {explained} with a reason ({explained / max(1, found):.1%})")
    click.echo(f"{false} false reasons")
    for kind, number in kinds.most_common():
        click.echo(f"{number:6} {kind}")
    for moves, column, texts in random.Random(seed).sample(  # noqa: S311 (examples)
        sentences, min(examples, found)
    ):
        click.echo(f"\n{moves or '-'} {column}\n  " + "\n  ".join(texts))

"""Make a data set from its order: find the positions, label them, and write the files.

Strong play comes from games that are played for the data set, between perfect players with
occasional errors. An ordinary analysis of all columns labels the positions.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.arrays import canonical_keys
from c4core.dataset.card import Recipe, make_card, split_records
from c4core.dataset.lots import choose
from c4core.dataset.records import are_decisive
from c4core.dataset.writing import write_dataset
from c4core.errors import EmptySourceError
from c4core.evaluation import NO_SCORE
from c4core.position import Position
from db.records.jobs import JobState
from db.records.matches import MatchTerms
from workers.analyze import job as analysis
from workers.analyze.job import unit_answers
from workers.core.follow import iterate_units, read_job, why_not_done
from workers.core.submit import topic_of
from workers.dataset.sources import find
from workers.errors import DatasetIncompleteError
from workers.match.job import job_of_matches, matches_of, settle_matches

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from c4core.dataset.card import Card
    from c4core.dataset.draw import Sample
    from c4core.dataset.exchange import Difference
    from c4core.notation import BoardSize
    from db.database import Database
    from workers.dataset.sources import Found, Order

    Keys = NDArray[np.uint64]


def labelling_job(
    database: Database,
    keys: Keys,
    *,
    board: BoardSize,
    book: str | None = None,
    label: str | None = None,
    fresh: bool = False,
    on_planned: Callable[[int], None] = lambda _positions: None,
) -> int:
    """Find and resume the job that labels some positions, or plan it; return its number.

    The job is an ordinary analysis. Positions with few stones come first, because they take longest
    and should not be left to the end. Stored positions are not searched.
    """
    return analysis.find_or_submit(
        database,
        keys[_work_order(keys, board)],
        board=board,
        topic=topic_of("dataset", keys),
        book=book,
        label=label,
        fresh=fresh,
        on_planned=on_planned,
    )


def read_labels(database: Database, job_id: int, keys: Keys, board: BoardSize) -> NDArray[np.int8]:
    """The exact scores of every column, from the job that found them.

    The shape is (positions, columns of the board), in the order of the keys; NO_SCORE if a column
    is full.

    Raises:
        DatasetIncompleteError: the job is not done.
    """
    job = read_job(database, job_id)
    if job.state is not JobState.DONE:
        raise DatasetIncompleteError(why_not_done(job), job_id=job_id)
    labels = np.empty((len(keys), board.width), dtype=np.int8)
    row = np.dtype((np.int8, (board.width,)))
    labels[_work_order(keys, board)] = np.fromiter(_rows(database, job_id), row, count=len(keys))
    return labels


def _rows(database: Database, job_id: int) -> Iterator[list[int]]:
    for unit in iterate_units(database, job_id):
        for answer in unit_answers(unit) or ():
            scores = answer.scores or ()
            yield [NO_SCORE if score is None else score for score in scores]


def _work_order(keys: Keys, board: BoardSize) -> NDArray[np.intp]:
    """The indices of positions by ply, then by key, so that neighbours are similar."""
    _, plies = canonical_keys(keys, board)
    return np.lexsort((keys, plies))


SPARE: Final = 1.1
"""Safety factor for the number of positions to label in the next round."""

MAX_GROWTH: Final = 8
"""Maximum growth of the number of positions from one round to the next."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A data set whose positions are found but not labelled yet."""

    order: Order
    found: Found

    @classmethod
    def of(
        cls,
        database: Database,
        order: Order,
        *,
        games: Collection[int] = (),
        number: int | None = None,
    ) -> Draft:
        """Find the positions of a data set; errors as in :func:`workers.dataset.sources.find`.

        ``games`` and ``number`` replace the matches and the number of positions of the order.
        """
        return cls(order, find(database, order, number or order.count, games or order.matches))

    def job(
        self,
        database: Database,
        *,
        book: str | None = None,
        fresh: bool = False,
        on_planned: Callable[[int], None] = lambda _positions: None,
    ) -> int:
        """Find or plan the job that labels the positions, as in :func:`labelling_job`."""
        return labelling_job(
            database,
            self.found.sample.keys,
            board=self.order.board,
            book=book,
            label=self.order.label,
            fresh=fresh,
            on_planned=on_planned,
        )

    def labelled(self, database: Database, job_id: int) -> Labelled:
        """The positions that the order keeps, with labels; errors as in :func:`read_labels`."""
        sample, stated = self.found.sample, self.found.stated
        labels = read_labels(database, job_id, sample.keys, self.order.board)
        difference = None if stated is None else stated.compare(sample.keys, labels)
        if not self.order.decisive:
            return Labelled(self, sample, labels, difference)
        decisive = sample.keys[are_decisive(labels)]
        kept = choose(decisive, self.order.count, self.order.seed)
        is_kept = np.isin(sample.keys, kept, assume_unique=True)
        chosen = replace(
            sample,
            keys=kept,
            left_out=len(sample.keys) - len(kept),
            is_all=sample.is_all and len(kept) == len(decisive),
        )
        return Labelled(self, chosen, labels[is_kept], difference)


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A data set whose positions are labelled."""

    draft: Draft
    sample: Sample
    labels: NDArray[np.int8]
    """Exact scores, shape (n, W), in the order of the sample's keys."""
    difference: Difference | None
    """The comparison of the labels with the scores in the file, if the source is ``file``."""

    def wanted(self) -> int | None:
        """Number of positions to label if too few of these are decisive, else None."""
        count, kept = self.draft.order.count, len(self.sample.keys)
        if kept >= count or not self.draft.order.decisive:
            return None
        growth = min(SPARE * count / max(kept, 1), MAX_GROWTH)
        return math.ceil(len(self.draft.found.sample.keys) * growth)

    def write(self, directory: Path, *, replace: bool = False) -> Card:
        """Write the files of the data set; return its card.

        With ``replace``, another data set in the directory is replaced.

        Raises:
            EmptySourceError: no position is left.
            DatasetExistsError: the directory has another data set.
            OSError: the files cannot be written.
        """
        order = self.draft.order
        if not len(self.sample.keys):
            raise EmptySourceError(
                "no position is decisive: in each, all columns lead to the same result"
            )
        recipe = Recipe(
            command=order.command(),
            board=order.board,
            source=self._source(),
            seed=order.seed,
            count=order.count,
            shares=order.shares,
            representations=order.representations,
            quiet=order.quiet,
            decisive=order.decisive,
            license=order.license,
        )
        parts = split_records(self.sample.keys, self.labels, recipe)
        card = make_card(recipe, parts, self.sample)
        return write_dataset(directory, parts, card, formats=order.formats, replace=replace)

    def _source(self) -> dict[str, Any]:
        order = self.draft.order
        compared = self.difference
        return {
            "kind": order.source,
            "first_ply": order.first_ply,
            "last_ply": order.last_ply,
            **self.draft.found.facts,
            **(
                {}
                if compared is None
                else {
                    "file_labels_compared": compared.positions,
                    "file_labels_different": compared.different,
                }
            ),
        }


POSITIONS_OF_A_GAME: Final = 8
"""Expected number of new positions per game at first; games of strong play are similar."""

MAX_GAMES_GROWTH: Final = 4
"""Maximum growth of the number of games from one round to the next."""

MAX_GAMES: Final = 1_000_000


def terms_of(order: Order, games: int) -> MatchTerms:
    """The terms of a match of strong play for an order.

    The seed does not depend on the number of games, so a longer match begins with the same games.
    """
    player = f"perfect:blunder={order.blunder}"
    digest = hashlib.blake2b(f"dataset strong {order.seed}".encode(), digest_size=8).digest()
    return MatchTerms(
        player_a=player,
        player_b=player,
        games=games,
        seed=int.from_bytes(digest, "big"),
        start=Position(board=order.board),
    )


def play_games(
    database: Database, order: Order, run: Callable[[int], None], wanted: int
) -> tuple[int, ...]:
    """Play enough games to find the wanted number of positions for an order of source ``strong``.

    Matches that were played before are found again. The search for more games ends when a longer
    match yields no more positions. ``run`` works on the job with this number until it ends.

    Returns:
        The number of the match, as a tuple of one.

    Raises:
        EmptySourceError: no game has a suitable position.
        PlayerError, MatchTermsError: the games cannot be played on this board.
    """
    games, before = max(10, wanted // POSITIONS_OF_A_GAME), 0
    while True:
        job_id = job_of_matches(database, [terms_of(order, games)], label=order.label)
        run(job_id)
        matches = tuple(matches_of(database, job_id))
        settle_matches(database, matches)
        found = len(find(database, order, wanted, matches).sample.keys)
        if found >= wanted or found == before or games == MAX_GAMES:
            return matches
        growth = min(max(1.2 * wanted / found, 2), MAX_GAMES_GROWTH)
        games, before = min(int(games * growth), MAX_GAMES), found


def find_and_label(
    database: Database,
    order: Order,
    run: Callable[[int], None],
    *,
    job_of: Callable[[Draft], int],
) -> tuple[Labelled, int]:
    """Find the positions of a data set and label them.

    Usually one job is enough. Strong play is played first, and if too few positions are decisive,
    more are labelled. A later job looks up the positions that an earlier one searched. ``run``
    works on the job with this number until it ends. Raises the errors of the steps.

    Returns:
        The labelled positions, and the number of the last job.
    """
    draft = _draft(database, order, run, order.count)
    while True:
        job_id = job_of(draft)
        run(job_id)
        labelled = draft.labelled(database, job_id)
        wanted = labelled.wanted()
        if wanted is None:
            return labelled, job_id
        wider = _draft(database, order, run, wanted)
        if len(wider.found.sample.keys) <= len(draft.found.sample.keys):  # no more positions exist
            return labelled, job_id
        draft = wider


def _draft(database: Database, order: Order, run: Callable[[int], None], number: int) -> Draft:
    """The draft with this many positions, or with all positions if there are fewer."""
    is_strong = order.source == "strong"
    games = play_games(database, order, run, number) if is_strong else ()
    return Draft.of(database, order, games=games, number=number)

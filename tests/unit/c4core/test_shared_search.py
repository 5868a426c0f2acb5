"""One position, searched by several threads and by simulated processes."""

import random
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest
from hypothesis import example, given, settings, strategies as st

import c4core.solver
from c4core import ENGINE_VERSION, Position, Solver
from c4core.errors import KeyValueError
from c4core.solver import SharedSearch
from tests.support.running.waiting import await_that

START = Position("34", board="6x6")
"""Takes one search some hundred thousand nodes."""

FIRST_NODES = 50_000
"""Every process searches as many nodes alone, when it begins."""

ENDLESS = Position(board="8x7")

HEADER = struct.Struct("<HBBHHQQQQII")
SPLIT, CLAIM, ROOT_BOUNDS = 1, 2, 16
OTHER_PROCESS = 1 << 45


@pytest.fixture(scope="module")
def score() -> int:
    found = Solver().solve(START).score
    assert found is not None
    return found


def shared(start: Position = START, *, weak: bool = False, is_remote: bool = False) -> SharedSearch:
    return SharedSearch(Solver(table_mb=1), start, weak=weak, is_remote=is_remote)


def message(
    *notices: tuple[int, int],
    start: Position = START,
    bounds: bytes = b"",
    version: int = ENGINE_VERSION,
    weak: bool = False,
    process: int = OTHER_PROCESS,
    workers: int = 1,
) -> bytes:
    key, bound_count = start.key, len(bounds) // 11
    header = (version, start.width, start.height, weak, workers, key & (1 << 64) - 1, key >> 64)
    body = b"".join(struct.pack("<QQ", *notice) for notice in notices)
    return HEADER.pack(*header, process, 10**6, len(notices), bound_count) + body + bounds


def notices_of(sent: bytes) -> list[tuple[int, int]]:
    number = HEADER.unpack_from(sent)[-2]
    return [struct.unpack_from("<QQ", sent, HEADER.size + 16 * index) for index in range(number)]


@contextmanager
def working(*searches: SharedSearch) -> Iterator[list[threading.Thread]]:
    """A thread for each of the searches; they are stopped at the end."""
    threads = [threading.Thread(target=search.work) for search in searches]
    for thread in threads:
        thread.start()
    try:
        yield threads
    finally:
        while any(thread.is_alive() for thread in threads):
            for search in searches:
                search.solver.stop()
        for thread in threads:
            thread.join()


def exchange(*searches: SharedSearch) -> None:
    for sender in searches:
        sent, _ = sender.take()
        for receiver in searches:
            if sent and receiver is not sender:
                receiver.add(sent)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_find_the_score_together(score: int, threads: int) -> None:
    search = shared()
    with working(*[search] * threads) as running:
        for thread in running:
            thread.join()
    assert search.bounds == (score, score)
    assert search.is_decided
    assert search.work().nodes == 0  # it is over


@pytest.mark.parametrize("is_remote", [False, True])
def test_processes_find_the_score_together(score: int, *, is_remote: bool) -> None:
    processes = [shared(is_remote=is_remote) for _ in range(3)]
    with working(*processes) as running:
        while any(thread.is_alive() for thread in running):
            exchange(*processes)
    exchange(*processes)
    assert {process.bounds for process in processes} == {(score, score)}


def test_the_answer_of_one_process_ends_the_others(score: int) -> None:
    first, second = shared(), shared()
    nodes = first.work().nodes
    second.add(first.take()[0])
    assert second.work().nodes == 0
    assert second.bounds == (score, score)
    assert first.nodes == FIRST_NODES + nodes
    assert second.nodes == FIRST_NODES + first.nodes


def test_bounds_of_one_process_help_the_next(score: int) -> None:
    first, second = shared(), shared()
    nodes = first.work().nodes
    sent = first.take()[0]
    header = list(HEADER.unpack_from(sent))
    notices, header[-2] = header[-2], 0  # without the answer
    second.add(HEADER.pack(*header) + sent[HEADER.size + 16 * notices :])
    assert not second.is_decided
    assert second.work().nodes < nodes / 2
    assert second.bounds == (score, score)


def test_only_win_draw_or_loss(score: int) -> None:
    search = shared(weak=True)
    search.work()
    assert search.is_decided
    assert search.bounds[0] <= score <= search.bounds[1]


def test_known_bounds_are_used_and_contradictions_refused(score: int) -> None:
    search = shared()
    search.narrow(score, score)
    assert search.work().nodes == 0
    with pytest.raises(ValueError, match=f"but also {score + 1} to 9"):
        search.narrow(score + 1, 9)


def test_a_search_ends_at_a_limit_and_goes_on() -> None:
    search = shared(ENDLESS)
    found = search.work(time_limit=0.05)
    assert found.score is None
    assert search.nodes == FIRST_NODES + found.nodes > FIRST_NODES
    assert search.work(time_limit=0.05).nodes > 0
    with pytest.raises(ValueError, match="time_limit"):
        search.work(time_limit=-1)


def test_a_finished_game_is_refused() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        SharedSearch(Solver(), Position("1212121"))


def test_a_heartbeat_repeats_what_is_searched() -> None:
    """A process that has missed the first message learns what the others search."""
    search = shared(ENDLESS)
    seen: set[tuple[int, int]] = set()
    repeated: set[tuple[int, int]] = set()

    def has_split() -> bool:
        seen.update(notices_of(search.take()[0] or message()))
        return any(kind == SPLIT for _, kind in seen)

    def has_repeated() -> bool:
        repeated.update(notices_of(search.take(is_heartbeat=True)[0]))
        return bool({notice for notice in seen if notice[1] == SPLIT} & repeated)

    with working(search):
        await_that(has_split)
        await_that(has_repeated)


def test_a_message_without_news_is_empty() -> None:
    search = shared()
    sent, bounds = search.take()
    assert (sent, len(bounds)) == (b"", 0)
    assert notices_of(search.take(is_heartbeat=True)[0]) == []


def test_silent_processes_no_longer_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise their claims would stay, and the others would wait for them at the end."""
    search, now = shared(), 0.0
    monkeypatch.setattr(c4core.solver, "monotonic", lambda: now)
    # A process that has claimed every move never answers.
    names: set[int] = set()
    other = shared()
    other.work()
    names |= {name for name, _ in notices_of(other.take()[0])}
    search.add(message(*((name, CLAIM) for name in names)))
    now = 11.0
    search.take(is_heartbeat=True)
    assert search.work().score is not None


BOUND = struct.Struct("<QbBB")
GOOD = BOUND.pack(START.play(2).key, -9, True, 20)

BAD = {
    "empty": b"",
    "short": message()[:-1],
    "another version": message(version=ENGINE_VERSION + 1),
    "another position": message(start=START.play(2)),
    "another board": message(start=Position("34")),
    "another question": message(weak=True),
    "too long": message() + b"x",
    "no process": message(process=5),
    "a number above all processes": message(process=1 << 50),
    "an impossible score": message(bounds=BOUND.pack(START.key, 99, True, 20)),
    "impossible nodes": message(bounds=BOUND.pack(START.key, 1, True, 99)),
    "not a position": message(bounds=BOUND.pack((1 << 64) - 1, 1, True, 20)),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_not_a_message_is_refused(case: str) -> None:
    search = shared()
    with pytest.raises((ValueError, KeyValueError)):
        search.add(BAD[case])
    assert search.bounds == shared().bounds


def test_a_message_of_its_own_is_ignored() -> None:
    search = shared()
    sent, _ = search.take(is_heartbeat=True)
    search.add(sent)
    assert search.nodes == FIRST_NODES


def test_an_answer_that_contradicts_the_known_bounds_is_ignored(score: int) -> None:
    search = shared()
    search.narrow(score, score)
    wrong = (score + 1 + 128) << 8 | score + 1 + 128
    search.add(message((wrong, ROOT_BOUNDS), ((9 + 128) << 8 | 128, ROOT_BOUNDS)))
    assert search.bounds == (score, score)


notices = st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 15) | st.just(2**64 - 1))


@example(hints=[], workers=0, chance=random.Random(1))
@settings(max_examples=10, deadline=None)
@given(
    hints=st.lists(notices, max_size=200),
    workers=st.integers(0, 2**16 - 1),
    chance=st.randoms(),
)
def test_no_hint_changes_the_score(
    score: int, hints: list[tuple[int, int]], workers: int, chance: random.Random
) -> None:
    """Only bounds change answers. Some of the hints are about positions of the search."""
    search, other = shared(), shared()
    other.work()
    true = [name for name, _ in notices_of(other.take()[0])]
    hints += [(chance.choice(true), kind) for kind in (1, 2, 4, 8) for _ in range(20)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(c4core.solver, "monotonic", count(step=11).__next__)
        search.add(message(*hints, workers=workers))
        with working(search, search) as running:
            for thread in running:
                thread.join(0.1)
            search.take(is_heartbeat=True)  # drops the claims
            for thread in running:
                thread.join()
    assert search.bounds == (score, score)

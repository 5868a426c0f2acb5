"""Work in another thread, and signals that arrive at unusual moments."""

import threading

import pytest

from cli.shell.process import run_in_background
from tests.support.running.waiting import HANG_SECONDS


def test_results_and_errors_are_passed_on() -> None:
    assert run_in_background(lambda: threading.current_thread().name, print) == "work"
    with pytest.raises(ZeroDivisionError):
        run_in_background(lambda: 1 / 0, print)


@pytest.mark.parametrize("starts", [True, False])
def test_a_signal_during_the_start_is_handled(
    monkeypatch: pytest.MonkeyPatch,
    starts: bool,  # noqa: FBT001
) -> None:
    start = threading.Thread.start
    stopped, begun, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        stopped.wait(HANG_SECONDS)
        ended.set()

    def interrupted(thread: threading.Thread) -> None:
        if starts:
            start(thread)
            begun.wait(HANG_SECONDS)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_in_background(work, stopped.set)
    assert (begun.is_set(), ended.is_set()) == (starts, starts)


def test_a_signal_before_the_work_starts_is_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    start, threads = threading.Thread.start, list[threading.Thread]()
    begun = threading.Event()

    def interrupted(thread: threading.Thread) -> None:
        threads.append(thread)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_in_background(begun.set, print)
    start(threads[0])  # the system was late
    threads[0].join(HANG_SECONDS)
    assert not begun.is_set()

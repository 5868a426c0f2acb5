"""A process that works on a job, to be killed: ``python -m tests.support.running.job_process``.

It writes the job's results as JSON Lines. Signals are handled as in the program: the first Ctrl-C
ends the process with exit code 130, a second one ends it at once.
"""

import argparse
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from c4core.solver import Solver
from cli.shell.process import check_signals, handle_signals
from db import jobs
from db.database import Database
from workers.core.searching import TurnTakingSolver
from workers.runners.local import LocalRunner, SharedSolver

TABLE_MB = 1


class FewSearches(TurnTakingSolver):
    """Allow a number of searches; every later search waits until the process is killed.

    A unit of a match counts as one search.
    """

    def __init__(self, solver: Solver, threads: int, searches: int) -> None:
        super().__init__(solver, threads)
        self._left = threading.Semaphore(searches)

    @contextmanager
    def turn(self) -> Iterator[Solver]:
        self._left.acquire()
        with super().turn() as searcher:
            yield searcher


def shared_solver(threads: int, searches: int) -> SharedSolver:
    shared = SharedSolver(threads=threads, table_mb=TABLE_MB)
    shared.turns = FewSearches(shared.solver, threads, searches)
    return shared


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("database")
    parser.add_argument("job", type=int)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lease", type=float, default=0.5)
    parser.add_argument("--searches", type=int, help="number of searches before the process waits")
    options = parser.parse_args()
    handle_signals()
    with Database.open(options.database) as database:
        database.run(lambda session: jobs.resume_job(session, options.job))
        try:
            with LocalRunner(
                database,
                options.job,
                threads=options.threads,
                table_mb=TABLE_MB,
                lease_seconds=options.lease,
                shared=shared_solver(options.threads, options.searches)
                if options.searches is not None
                else None,
            ) as runner:
                for shown in runner.results(lambda _: check_signals()):
                    sys.stdout.write(json.dumps(shown) + "\n")
                    sys.stdout.flush()
        except KeyboardInterrupt:
            return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

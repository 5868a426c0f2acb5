"""A process that works on a job, to be killed: ``python -m tests.support.running.job_process``.

It writes the job's results as JSON Lines. Signals are handled as in the program: the first Ctrl-C
ends the process with exit code 130, a second one ends it at once.
"""

import argparse
import json
import sys
import threading
from typing import Any

from cli.shell.process import check_signals, handle_signals
from db import jobs
from db.database import Database
from workers.core import worker
from workers.core.follow import LocalRunner
from workers.core.run import UnitReport, run_unit

TABLE_MB = 1


def limit(searches: int) -> None:
    """Let this process solve a number of units; with the next one it waits until it is killed."""
    left = threading.Semaphore(searches)

    def run_few(*arguments: Any, **options: Any) -> UnitReport:  # noqa: ANN401
        left.acquire()
        return run_unit(*arguments, **options)

    worker.run_unit = run_few


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("database")
    parser.add_argument("job", type=int)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lease", type=float, default=0.5)
    parser.add_argument("--searches", type=int, help="number of units before the process waits")
    options = parser.parse_args()
    handle_signals()
    if options.searches is not None:
        limit(options.searches)
    with Database.open(options.database) as database:
        database.run(lambda session: jobs.resume_job(session, options.job))
        try:
            with LocalRunner(
                database,
                options.job,
                threads=options.threads,
                table_mb=TABLE_MB,
                lease_seconds=options.lease,
            ) as runner:
                for shown in runner.results(lambda _: check_signals()):
                    sys.stdout.write(json.dumps(shown) + "\n")
                    sys.stdout.flush()
        except KeyboardInterrupt:
            return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

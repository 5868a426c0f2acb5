"""A process that works on a job, to be killed: ``python -m tests.support.running.job_process``.

Writes the job's results as JSON Lines. Ctrl-C leaves with exit code 130.
"""

import argparse
import json
import sys

from db import jobs
from db.database import Database
from workers.runners.local import LocalRunner


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("database")
    parser.add_argument("job", type=int)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lease", type=float, default=0.5)
    options = parser.parse_args()
    with Database.open(options.database) as database:
        database.run(lambda session: jobs.resume_job(session, options.job))
        try:
            with LocalRunner(
                database,
                options.job,
                threads=options.threads,
                table_mb=1,
                lease_seconds=options.lease,
            ) as runner:
                for shown in runner.results():
                    sys.stdout.write(json.dumps(shown) + "\n")
                    sys.stdout.flush()
        except KeyboardInterrupt:
            return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

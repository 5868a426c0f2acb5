"""``python -m tests.release.fuzz``: run all targets, some of them, or a case again."""

import argparse
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.release.fuzz import child
from tests.release.fuzz.campaign import Campaign
from tests.release.fuzz.target import load, names

DIRECTORY = Path("build/fuzz")


def run(arguments: argparse.Namespace) -> int:
    """Run campaigns in parallel, one for each processor; return 1 if a case has failed."""
    campaigns = [
        Campaign(name, arguments.seed, arguments.cases, DIRECTORY)
        for name in arguments.targets or names()
    ]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for campaign, _ in zip(
            campaigns, pool.map(Campaign.run, campaigns), strict=True
        ):  # in order of completion
            print(campaign, flush=True)  # noqa: T201
    return int(any(campaign.failures for campaign in campaigns))


def replay(path: Path) -> None:
    """Run a case again, without catching its exceptions."""
    name = path.name.split("-")[0]
    with tempfile.TemporaryDirectory(prefix="c4-fuzz-") as directory:
        load(name, Path(directory)).run(path.read_bytes())


def main() -> int:
    match sys.argv[1:]:
        case ["child", name, seed, first, last, current]:
            child.main(name, int(seed), int(first), int(last), Path(current))
            return 0
        case ["replay", path]:
            replay(Path(path))
            return 0
    parser = argparse.ArgumentParser(prog="python -m tests.release.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(names()))
    parser.add_argument("--cases", type=int, default=10_000, help="number of cases of each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())

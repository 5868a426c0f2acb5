"""Features with a missing package show a hint, and work after the hint is followed."""

import re
import shutil

import pytest

from tests.support.running.command_line import ROOT
from tests.support.running.environments import Environment

BOOK = "c4 book build -q --board 5x4 --plies 2 --output small.c4book"


@pytest.mark.parametrize(
    "command",
    [
        "c4 dataset build -q --plies 38.. --count 5 --format parquet --output set",
        "c4 learn train cnn --games 200 --epochs 1 -q",
        "c4 show 4453 --output board.png",
        "c4 mcp --no-store < /dev/null",
    ],
)
def test_the_message_names_the_missing_package(fresh: Environment, command: str) -> None:
    assert fresh.shell(BOOK).code == 0
    done = fresh.shell(command)
    assert (done.code, "Traceback" in done.err) == (1, False)
    (advice,) = re.findall("pip install .*", done.err)
    followed = fresh.shell(f"{advice} --quiet")
    assert followed.code == 0, followed.err
    done = fresh.shell(command)
    assert done.code == 0, done.err


def test_monitor(fresh: Environment) -> None:
    flower = "celery -A workers.app flower --help"
    assert "No such command 'flower'" in fresh.shell(flower).err
    assert fresh.shell("pip install --quiet flower").code == 0
    assert "monitoring" in fresh.shell(flower).out


def test_bench(fresh: Environment) -> None:
    shutil.copytree(ROOT / "benchmarks", fresh.directory / "benchmarks")
    run = "python -m benchmarks engine run --quick --only boards"
    done = fresh.shell(run)
    assert (done.code, "pip install bitbully" in done.err) == (0, True), done.err
    assert fresh.shell("pip install --quiet bitbully").code == 0
    done = fresh.shell(run)
    assert (done.code, "pip install" in done.err) == (0, False), done.err

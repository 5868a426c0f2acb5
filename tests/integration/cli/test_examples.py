"""Every example in a help text runs as it stands."""

import re
import shlex
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from cli.reference import contexts
from cli.shell.commands import Command, LazyGroup
from tests.support.boards.learning import write_dataset
from tests.support.running.command_line import C4
from tests.support.weakc4 import small_solution, write_solution

EASY = "2252576253462244111563365343671351441"
HAS_TORCH = find_spec("torch") is not None
LEFT_OUT = "bench|book plot|play(?!.*--plain)|serve|worker" + ("" if HAS_TORCH else "|learn")
if find_spec("pyarrow") is None:
    LEFT_OUT += "|.*[.]parquet"
ELSEWHERE = re.compile(rf"c4 (--db \S+ )?({LEFT_OUT})\b")
"""Too slow, without an end, in need of a terminal or of another package: tested elsewhere."""
SMALLER = {
    "dataset build --from book --count 2000": "dataset build --from book --count 50",
    "--plies 12 --within 0": "--plies 8 --within 0",
    "--games 2000 --epochs 5": "--games 200 --epochs 2",
}
"""Numbers that only time depends on."""
FOR_A_SHELL = re.compile(r"^(?!c4 )|[|&;<>()$*?~`]")
"""More than one command with its arguments."""


def examples() -> list[str]:
    """The examples of all commands, each once."""
    found: dict[str, None] = {}
    for context in contexts():
        assert isinstance(context.command, Command | LazyGroup)
        found |= dict.fromkeys(context.command.examples)
    return [example for example in found if not ELSEWHERE.search(example)]


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Here there is one, as for users: it makes some examples quick."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> C4:
    """Some positions, a job done and one that is not, a book, two matches, a data set, a model."""
    c4 = C4(tmp_path_factory.mktemp("examples"))
    (c4.directory / "positions.txt").write_text(f"{EASY}\n{EASY}6\n{EASY}7\n")
    (c4.directory / "positions.csv").write_text(f"id,moves\na,{EASY}\nb,{EASY}6\n")
    assert c4("analyze", "-q", "--detach", "positions.txt").code == 0
    assert c4("analyze", "-q", "positions.txt").code == 0
    assert c4("--db", "book.db", "db", "init").code == 0
    assert c4("config", "set", "threads", "2").code == 0
    book = ("book", "build", "-q", "--board", "5x4", "--plies", "4", "--out", "small.c4book")
    assert c4("--db", "book.db", *book).code == 0
    assert c4("prove", "", "--board", "4x4", "--out", "small.c4proof", "-q").code == 0
    solution = write_solution(c4.directory, *small_solution(Position("1221", width=5, height=4)))
    for path, short in zip(solution, "ab", strict=True):
        shutil.copy(path, c4.directory / f"{short}.json")
    for name in ("jsonl", "csv"):
        export = ("book", "export", "small.c4book", "--format", name, "-o", f"small.{name}")
        assert c4(*export).code == 0
    for seed in ("1", "2"):
        options = ("--seed", seed, "--games", "5", "--judge", "none", "-q")
        assert c4("match", "set", "random", *options).code == 0
    for name in ("jsonl", "csv"):
        games = ("games", "export", "1", "-q", "--format", name, "-o", f"games.{name}")
        assert c4(*games).code == 0
    labelled = ("dataset", "build", "-q", "--plies", "34..", "--count", "50", "--output", "mid")
    assert c4("--db", "book.db", *labelled).code == 0
    if HAS_TORCH:
        write_dataset(c4.directory / "positions", board=DEFAULT_BOARD, count=40, least_ply=24)
        model = ("-o", "model.safetensors", "--games", "200", "--epochs", "1", "-q")
        assert c4("learn", "train", "cnn", *model).code == 0
    return c4


def test_each_smaller_number_is_one_of_an_example() -> None:
    shown = [example for context in contexts() for example in context.command.examples]
    assert [numbers for numbers in SMALLER if not any(numbers in each for each in shown)] == []


@pytest.mark.parametrize("example", examples())
def test_example_runs(prepared: C4, tmp_path: Path, example: str) -> None:
    for numbers, smaller in SMALLER.items():
        example = example.replace(numbers, smaller)
    c4 = C4(tmp_path / "copy")
    shutil.copytree(prepared.directory, c4.directory)
    if "watch 1" in example or "results 1" in example:
        assert c4("jobs", "resume", "1", "-q").code == 0
    made = re.search(r" (?:build|prove) .*--out(?:put)? (\S+)", example)
    if made and (old := c4.directory / made[1]).exists():
        old.rename(old.with_name("old"))  # another one is replaced with --force only
    in_a_shell = FOR_A_SHELL.search(example)
    done = c4.shell(example) if in_a_shell else c4(*shlex.split(example)[1:])
    # Not stored, not found: 1 is an answer of some. Anything else would be a mistake.
    assert done.code in ({0, 1} if "query" in example else {0})
    assert "Error" not in done.err
    assert "Traceback" not in done.err

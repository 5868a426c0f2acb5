"""Programs as players: the protocol, the examples, and all failures."""

import errno
import gc
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from c4core import Position
from c4core.arena.game import NO_CLOCK, Ending, GameRecord, TimeControl, play_game
from c4core.dice import Dice
from c4core.players import ANY_PROGRAM, GameStart, Player, PlayerFailure, Resources, parse_player
from c4core.players.roster import external
from c4core.players.roster.external import Exec, Kaggle
from tests.support.running.waiting import HANG_SECONDS, await_that

EXAMPLES = Path(__file__).parents[4] / "examples" / "players"
# Only Linux can make a pipe so small that it fills at once (F_SETPIPE_SZ); CI runs on Linux.
NEEDS_PIPE_SIZES = pytest.mark.skipif(sys.platform != "linux", reason="pipes have no size to set")

GREETING = 'read -r line; echo "ready test"'
START = GameStart(Position().board, "x", 1)


@pytest.fixture
def shell(tmp_path: Path) -> Iterator["Shell"]:
    made = Shell(tmp_path)
    yield made
    for player in made.players:
        player.close()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give programs little time to end by themselves; killed programs are still waited for."""
    await_end = external._await_end

    def soon(process: subprocess.Popen[bytes]) -> bool:
        with monkeypatch.context() as patch:
            patch.setattr(external, "QUIT_SECONDS", 0.05)
            return await_end(process)

    monkeypatch.setattr(external, "_await_end", soon)


class Shell:
    """Make players from shell scripts."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.players: list[Exec] = []

    def player(self, script: str, program: str = "sh") -> Exec:
        path = self.directory / f"player{len(self.players)}"
        path.write_text(script)
        made = Exec(f"{program} {path}", programs=ANY_PROGRAM)
        self.players.append(made)
        return made

    def answering(self, answer: str) -> Exec:
        """A player that greets and then runs the same command for every move."""
        return self.player(
            f'{GREETING}\nwhile read -r word rest; do\n  case "$word" in\n    go) {answer} ;;\n'
            "    quit) exit 0 ;;\n  esac\ndone\n"
        )

    def deaf(self, answers: str) -> Exec:
        """A program that never reads: its input pipe is full after about 60 moves."""
        small_pipe = "import fcntl, time\nfcntl.fcntl(0, 1031, 4096)  # F_SETPIPE_SZ\n"
        return self.player(f"{small_pipe}print('ready', flush=True)\n{answers}", sys.executable)


def against_random(
    player: Player, *, seed: int = 1, time_control: TimeControl = NO_CLOCK
) -> GameRecord:
    return play_game(player, parse_player("random").make(), seed=seed, time_control=time_control)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def is_dead(pid: int) -> bool:
    """Whether a process has ended, even if its parent has not waited for it."""
    status = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False)
    return status.stdout.strip()[:1] in (b"", b"Z")


def await_death(note: Path) -> None:
    """Wait for the end of the process whose id a program has written."""
    child = int(note.read_text())
    await_that(lambda: is_dead(child))


def begun(player: Exec) -> external.Program:
    """The running program of a player whose game has begun."""
    player.begin(START)
    assert player._seat.program is not None
    return player._seat.program


def has_process(player: Exec) -> bool:
    return player._seat.program is not None and player._seat.program.pid is not None


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"no {program}")


@pytest.mark.parametrize(
    ("description", "answers"),
    [
        (f"exec:{sys.executable} {EXAMPLES}/random_player.py", {}),
        pytest.param("exec:./blocker", {"41414": 3, "141424": 3, "": 3}, marks=needs("cc")),
        pytest.param(f"exec:node {EXAMPLES}/center.js", {"": 3}, marks=needs("node")),
        pytest.param(f"exec:awk -f {EXAMPLES}/leftmost.awk", {"111111": 1}, marks=needs("awk")),
        (f"kaggle:{EXAMPLES}/kaggle_agent.py", {"41414": 3}),
        ("python:my_players:careful", {}),
    ],
    ids=["python", "c", "javascript", "awk", "kaggle", "callable"],
)
def test_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, description: str, answers: dict[str, int]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES))
    if "blocker" in description:
        command = ["cc", "-Wall", "-Wextra", "-Werror", "-o", "blocker", EXAMPLES / "blocker.c"]
        subprocess.run(command, check=True)
    with parse_player(description).make(Resources(programs=ANY_PROGRAM)) as player:
        for moves, expected in answers.items():
            assert player.choose(Position(moves), Dice(1)) == expected
        games = [against_random(player, seed=seed) for seed in (1, 2, 1)]
    assert not any(game.is_forfeit for game in games)
    assert games[0].columns == games[2].columns  # the program receives the seed


def test_messages_to_a_program(shell: Shell) -> None:
    log = shell.directory / "log"
    player = shell.player(
        f'while read -r line; do\n  echo "$line" >> {log}\n  case "$line" in\n'
        '    c4*) echo "# a comment"; echo "ready" ;;\n    go*) echo "play 4" ;;\n'
        "    quit) exit 0 ;;\n  esac\ndone\n"
    )
    record = play_game(
        parse_player("stupid").make(), player, seed=3, time_control=TimeControl(move=HANG_SECONDS)
    )
    player.close()
    assert record.moves == "1414141"
    lines = log.read_text().splitlines()
    assert lines[0] == "c4 1"
    assert lines[1].startswith("new 7x6 o ")
    assert lines[2] == "go 120.000 ......./......./......./......./......./x......"
    assert lines[3] == "go 120.000 ......./......./......./......./x....../x..o..."
    assert lines[-2:] == ["end loss", "quit"]


@pytest.mark.parametrize(
    ("answer", "ending", "detail"),
    [
        ("echo 'play 8'", Ending.ILLEGAL, "column 8 is outside the board"),
        ("echo 'play 0'", Ending.ILLEGAL, "column 0 is outside the board"),
        ("echo 'play four'", Ending.NONSENSE, "answered 'play four'"),
        ("echo 4", Ending.NONSENSE, "answered '4'"),
        ("printf 'play \\377\\n'", Ending.NONSENSE, "answered 'play"),
        ("echo 'fail no idea'", Ending.ERROR, "no idea"),
        ("echo oops >&2; exit 3", Ending.CRASH, "ended with exit status 3: 'oops'"),
        ("kill -9 $$", Ending.CRASH, "was ended by signal SIGKILL"),
        ("kill -40 $$", Ending.CRASH, "was ended by signal 40"),
        ("yes '#'", Ending.NONSENSE, "wrote too much output"),
        ("yes | tr -d '\\n'", Ending.NONSENSE, "wrote too much output"),
    ],
)
def test_a_failing_program_loses_one_game(
    shell: Shell, answer: str, ending: Ending, detail: str
) -> None:
    player = shell.answering(answer)
    for _ in range(2):  # the next game starts afresh
        record = against_random(player)
        assert (record.winner, record.ending) == ("o", ending)
        assert detail in record.detail


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("answer", "pipe"),
    [
        ("exec >&-; sleep 60", "output"),
        # Kill it before it answers; otherwise it would have to be quicker than the next move.
        ("exec <&-; echo play 1; sleep 60", "input"),
    ],
)
def test_closing_a_pipe_counts_as_a_crash(shell: Shell, answer: str, pipe: str) -> None:
    record = against_random(shell.answering(answer))
    assert (record.winner, record.ending) == ("o", Ending.CRASH)
    assert f"closed its {pipe}" in record.detail


def test_a_hanging_program_is_killed_with_its_children(shell: Shell) -> None:
    note = shell.directory / "child"
    player = shell.player(f"sleep 1000 & echo $! > {note}\n{GREETING}\nwait")
    record = against_random(player, time_control=TimeControl(move=0.05, grace=0.05))
    assert (record.winner, record.ending) == ("o", Ending.TIME)
    assert record.detail == "no answer within 0.1 s"
    assert not has_process(player)
    await_death(note)


def test_children_of_an_ended_program_are_killed(shell: Shell) -> None:
    note = shell.directory / "child"
    player = shell.player(f"sleep 1000 & echo $! > {note}\n{GREETING}; read -r line; exit 3")
    running = begun(player)
    await_that(lambda: not running.is_running)
    player.close()
    await_death(note)


@pytest.mark.usefixtures("hasty")
def test_a_program_that_ignores_the_end_is_killed(shell: Shell) -> None:
    player = shell.player(
        f"trap '' TERM INT HUP\n{GREETING}\nwhile true; do read -r x; sleep 0.02; done"
    )
    pid = begun(player).pid or 0
    assert not is_gone(pid)
    player.close()
    assert is_gone(pid)  # killed and waited for: not even a zombie
    player.close()  # closing twice is harmless


def test_a_garbage_collected_program_is_killed() -> None:
    other = external.Program(["sh", "-c", f"{GREETING}; sleep 1000"])
    other.start()
    pid = other.pid or 0
    assert not is_gone(pid)
    del other
    gc.collect()
    assert is_gone(pid)


def test_a_fork_does_not_kill_the_program(shell: Shell) -> None:
    player = shell.answering("echo 'play 4'")
    running = begun(player)
    assert running._finalizer is not None
    child = os.fork()
    if child == 0:
        running._finalizer()
        os._exit(0)
    os.waitpid(child, 0)
    assert player.choose(Position(), Dice(1)) == 3


def test_a_program_that_does_not_greet_loses(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(external, "START_SECONDS", 0.2)
        record = against_random(shell.player("sleep 1000"))
    assert (record.winner, record.ending, record.length) == ("o", Ending.TIME, 0)


@pytest.mark.parametrize(
    ("player", "ending", "detail"),
    [
        ("exec:cat", Ending.NONSENSE, "sent 'c4 1' instead of 'ready'"),
        ("exec:true", Ending.CRASH, "the program ended with exit status 0"),
        ("exec:sh -c 'read line; echo ready'", Ending.CRASH, "the program"),
        ("exec:./file", Ending.CRASH, "./file cannot be started"),
        ("kaggle:some.py", Ending.CRASH, "has no function agent"),
        ("python:some:value", Ending.CRASH, "exit status"),
        ("python:nowhere:f", Ending.CRASH, "No module named 'nowhere'"),
    ],
)
def test_a_program_that_cannot_play_loses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, player: str, ending: Ending, detail: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    Path("some.py").write_text("import os\nvalue = 3\n")
    Path("file").write_text("\0")
    Path("file").chmod(0o755)
    with parse_player(player).make(Resources(programs=ANY_PROGRAM)) as made:
        record = against_random(made)
    assert (record.winner, record.ending, record.length) == ("o", ending, 0)
    assert detail in record.detail


@NEEDS_PIPE_SIZES
def test_the_game_does_not_wait_for_a_program_that_does_not_read(shell: Shell) -> None:
    player = shell.deaf("while True: print('play 1', flush=True)\n")
    games = (against_random(player) for _ in range(1000))
    record = next(game for game in games if game.ending not in (Ending.FOUR, Ending.ILLEGAL))
    assert (record.winner, record.ending) == ("o", Ending.NONSENSE)
    assert record.detail == "wrote too much output without an answer"
    assert not has_process(player)


@NEEDS_PIPE_SIZES
def test_unread_messages_take_time_and_little_memory(shell: Shell) -> None:
    player = shell.deaf("time.sleep(1000)\n")
    player.begin(START)
    for _ in range(500):
        player.end("draw")
    record = against_random(player, time_control=TimeControl(move=0.1, grace=0.0))
    assert (record.winner, record.ending) == ("o", Ending.TIME)
    assert record.detail == "does not read its input within 0.1 s"
    assert not has_process(player)

    player.begin(START)
    told: list[int] = []

    def tell() -> None:
        while len(told) < 10_000:
            player.end("draw")
            told.append(1)

    with pytest.raises(PlayerFailure, match="does not read its input"):
        tell()
    assert len(told) > 1000
    assert not has_process(player)


def test_output_on_standard_error_is_not_an_answer(shell: Shell) -> None:
    """Otherwise a program that complains endlessly would block the match forever."""
    player = shell.answering("yes complaint >&2")
    record = against_random(player, time_control=TimeControl(move=0.1, grace=0.0))
    assert (record.winner, record.ending) == ("o", Ending.TIME)


@pytest.mark.parametrize(
    ("name", "number"),
    [("subprocess.Popen", errno.ENFILE), ("selectors.DefaultSelector", errno.EMFILE)],
)
def test_lack_of_system_resources_is_not_the_programs_fault(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    """If the selector is missing, the process exists, but has not greeted."""
    player = shell.answering("echo play 4")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(name, refuse)
        with pytest.raises(OSError, match=re.escape(os.strerror(number))):
            against_random(player)
    assert not has_process(player)
    assert not against_random(player).is_forfeit


def test_much_output_on_standard_error_is_harmless(shell: Shell) -> None:
    flood = "head -c 300000 /dev/zero | tr '\\0' 'e' >&2; echo 'play 4'"
    record = play_game(
        shell.answering(flood),
        parse_player("stupid").make(),
        time_control=TimeControl(move=HANG_SECONDS),
    )
    assert record.moves == "4141414"


AGENT = """
import sys
print("loaded")
def helper():
    return 3
def agent(observation, configuration):
    """


@pytest.mark.parametrize(
    ("body", "ending", "detail"),
    [
        ("print('hm'); return helper()", Ending.FOUR, ""),
        ("return sys.stdin.read() or 3", Ending.FOUR, ""),
        ("return None", Ending.NONSENSE, "answered 'play None'"),
        ("return True", Ending.NONSENSE, "answered 'play True'"),
        ("return 7", Ending.ILLEGAL, "column 8 is outside"),
        ("raise ValueError('no\\nidea')", Ending.ERROR, "ValueError: no idea"),
        ("sys.exit(4)", Ending.CRASH, "exit status 4"),
        ("return 3\nraise OSError('gone')", Ending.CRASH, "OSError: gone"),
        ("return 3\ndef last_one(o): return 3", Ending.FOUR, ""),
    ],
)
def test_kaggle_agents(tmp_path: Path, body: str, ending: Ending, detail: str) -> None:
    path = tmp_path / "agent.py"
    path.write_text(AGENT + body)
    with Kaggle(str(path), programs=ANY_PROGRAM) as player:
        record = play_game(player, parse_player("stupid").make())
    assert record.ending == ending
    assert detail in record.detail

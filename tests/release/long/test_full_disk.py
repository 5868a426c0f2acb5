"""Commands on a full disk: their messages, their leftovers, and how they resume."""

from pathlib import Path

import pytest

from tests.release.long.test_killed_commands import COMMANDS, finished, prepared, ran
from tests.support.running.command_line import C4, Result
from tests.support.running.small_disk import filled, needs_mount, small_disk

MEGABYTES = 64
ROOM = (0, 20_000, 300_000)
"""Free bytes on the disk when a command starts."""


@needs_mount
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_on_a_full_disk_can_be_repeated(name: str, tmp_path: Path) -> None:
    command = COMMANDS[name]
    undisturbed = prepared(tmp_path / "undisturbed", command)
    finished(undisturbed, command, C4.__call__)
    expected = command.read(undisturbed.directory / command.output)

    with small_disk(tmp_path / "disk", megabytes=MEGABYTES) as disk:
        for room in ROOM:
            c4 = prepared(disk / f"with-{room}", command)
            assert c4("db", "init").code == 0
            written = c4.directory / command.output
            with filled(disk, but=room):
                done = ran(c4, *command.arguments)
                if done.code:
                    check_refusal(done)
                    assert not written.exists() or not any(written.iterdir())
            assert c4("db", "check").code == 0
            if done.code:
                finished(c4, command, C4.__call__)
            assert command.read(written) == expected

        # Writing again over existing output destroys nothing.
        with filled(disk, but=0):
            again = ran(c4, *command.arguments)
            if again.code:
                check_refusal(again)
        assert command.read(written) == expected


def check_refusal(done: Result) -> None:
    """The command reports the full disk, or that it does not replace a file."""
    assert done.code in {1, 2}
    assert "Traceback" not in done.err
    assert "fault in c4" not in done.err
    assert any(word in done.err for word in ("disk is full", "No space left", "--force")), done.err

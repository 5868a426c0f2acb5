"""Error messages of calls and commands, for snapshots."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.running.command_line import C4


def refusal(
    call: Callable[..., object],
    *arguments: Any,  # noqa: ANN401 (arguments of the call)
    error: type[Exception] = Exception,
    hiding: Path | None = None,
    **named: Any,  # noqa: ANN401
) -> str:
    """Call something that must raise an error; return the error's type and message in one line.

    A snapshot of these lines shows all messages of a kind side by side. ``hiding`` is a directory
    that is shown as ``DIR``, so that the text does not vary.
    """
    try:
        found = call(*arguments, **named)
    except error as caught:
        text = f"{type(caught).__name__}: {caught}"
        return text if hiding is None else text.replace(str(hiding), "DIR")
    msg = f"nothing was refused: {found!r}"
    raise AssertionError(msg)


def refused(c4: C4, words: str) -> tuple[int, str]:
    """Run a command that must fail without output; return its exit code and its message.

    ``words`` are the arguments as typed in a shell.
    """
    done = c4(*shlex.split(words))
    assert (done.code in {1, 2}, done.out) == (True, "")
    message = " ".join(done.err.replace(str(c4.directory), "DIR").split())
    return done.code, message.rpartition("Error: ")[2]

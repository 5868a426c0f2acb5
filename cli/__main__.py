"""The process ``c4``: signals and streams are set up first, then the commands are imported."""

from __future__ import annotations

import sys

from cli.shell import signals, streams


def main() -> None:
    """Run the command line and exit with its code."""
    signals.install()
    streams.secure()
    try:
        from cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt as interrupt:
        code = signals.exit_code(interrupt)
    code = streams.finish(code)
    signals.ignore()
    sys.exit(code)


if __name__ == "__main__":
    main()

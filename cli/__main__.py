"""The process ``c4``: signals and streams are set up first, then the commands are imported."""

from __future__ import annotations

import sys

from cli.shell import process


def main() -> None:
    """Run the command line and exit with its code."""
    process.handle_signals()
    process.secure_streams()
    try:
        from cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt as interrupt:
        code = process.exit_code(interrupt)
    code = process.flush_streams(code)
    process.ignore_signals()
    sys.exit(code)


if __name__ == "__main__":
    main()

"""The parts that all commands share: options, signals, streams and exit codes."""

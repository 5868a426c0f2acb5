"""The surroundings of every command: options, signals, streams, errors and exit codes."""

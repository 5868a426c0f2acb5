"""The program around the commands: options, signals, streams, errors and exit codes."""

"""Output of all commands: formats, files, progress, boards."""

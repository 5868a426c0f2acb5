"""What every command writes with: formats, files, progress, boards."""

"""``c4 completion``: the script that lets a shell complete command lines."""

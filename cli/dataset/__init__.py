"""``c4 dataset``: positions with exact labels, for programs that learn."""

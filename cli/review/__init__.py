"""``c4 review``: games move by move, with what each move gave away."""

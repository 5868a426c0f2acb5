"""``c4 prove`` and ``c4 certificate``: proofs of scores, made, checked and asked."""

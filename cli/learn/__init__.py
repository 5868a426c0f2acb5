"""``c4 learn``: networks that play, trained and evaluated. PyTorch is imported when needed."""

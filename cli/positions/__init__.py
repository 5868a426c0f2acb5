"""What commands that answer about positions share: naming them, asking, writing answers."""

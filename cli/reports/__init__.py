"""What commands for matches share: terms, reports as tables, objects and pictures."""

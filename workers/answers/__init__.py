"""Answers about positions: from an opening book, the database, or a search.

``question`` defines questions and answers. ``find`` answers a batch of positions; ``books`` looks
positions up in opening books. ``service`` answers many users at the same time. ``costs`` predicts
search times. ``lines`` turns answers into JSON objects and table rows, and guesses open results.
"""

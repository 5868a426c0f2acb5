"""Answers about positions: from an opening book, the database, or a search.

``question`` defines questions and answers, and looks positions up in opening books. ``find``
answers a batch of positions, and ``service`` many users at the same time. ``lines`` turns answers
into JSON objects and table rows, and guesses open results.
"""

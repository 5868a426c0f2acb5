"""What is known about positions: from an opening book, the database, or a search.

``question`` has questions and answers. ``find`` answers a batch of positions, with ``books`` or
without. ``service`` answers many users at the same time. ``costs`` is the expected time of a
search. ``lines`` and ``description`` are the answers as programs see them.
"""

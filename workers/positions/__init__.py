"""Answers about positions, and the kind of job that is called ``analyze``.

``question`` is what is asked, ``results`` what is answered. ``evaluate`` answers a batch of
positions: from an opening book (``book_answers``), from the database, or by a ``search``.

``analysis`` makes a job of lines of input, ``planning`` cuts the lines into units by what positions
are expected to take (``costs``), ``payload`` is a unit's form in storage, ``units`` works on one,
``kind`` puts these together. ``asked`` tells which positions a job asks about.
``batches`` answers the lines of a stream. ``desk`` answers single questions, with ``best_line``,
``keeping`` and ``stop``. ``showing`` makes what programs are shown.
"""

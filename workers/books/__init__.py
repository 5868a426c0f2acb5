"""Opening books, and the kind of job that is called ``book``.

``build`` leads from a book's plies to the scores of all its positions, ``sparse`` chooses the
positions of a sparse book, ``files`` writes the file. ``task`` says what one job has to solve,
``planning`` cuts it into units, ``payload`` is their form in storage, ``units`` works on one,
``scores`` reads what a job has found, ``kind`` puts these together. ``search`` queries a book as
the database is queried.
``exploring`` walks through a book.
"""

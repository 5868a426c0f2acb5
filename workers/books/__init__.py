"""Books as jobs, and their answers: ``build`` leads the way from a book's plies to its file.

``task`` says what is to be solved, ``planning`` cuts it into units, ``units`` works on one of them.
"""

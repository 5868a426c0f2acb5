"""Answers as programs see them.

``description`` is all that is known about a position, with its ``threats``; ``stored_objects`` are
stored evaluations, ``result_lines`` the results of a job.
"""

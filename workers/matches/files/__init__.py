"""Games of files.

``entries`` translates them, ``collecting`` sorts them into matches, ``importing`` checks and stores
them.
"""

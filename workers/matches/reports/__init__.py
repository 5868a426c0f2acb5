"""Reports of matches.

``reading`` reads what one needs, ``report`` calculates it, ``objects`` makes JSON objects of it.
"""

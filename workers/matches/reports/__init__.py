"""Reports of matches, and reviews of many games.

``reviews`` plans the search for the scores of many games, and reads them. Of a report of matches
``reading`` reads what one needs, ``report`` calculates it, ``objects`` makes JSON objects of it.
"""

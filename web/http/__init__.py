"""The process that listens.

``server`` runs it and ends it, its threads take ``turns``; ``protocol`` and ``open_files`` limit
what its connections may take.
"""

"""Jobs of kind ``deep``: many workers together prove the score of one position.

All workers run one search from the position, coordinated by a registry
(c4core/engine/together.pxi). ``task`` describes the position. A unit of the job (``job``) is a
shift: a thread searches for a while. ``search`` carries messages between processes, and keeps
costly bounds in the database. ``proof`` follows the proof through the stored bounds, and ``answer``
reads the progress and the result.
"""

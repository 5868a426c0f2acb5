"""Solutions in the two files of WeakC4, checked against every reply and made into certificates.

WeakC4 (https://github.com/2swap/WeakC4) is a strategy of the first player on 7x6. One file names a
move, or a diagram, for positions of the opening; the other holds the diagrams, each of which plays
a game to its end without any search. docs/weakc4.md describes both files.

- :mod:`c4core.proof.weakc4_files` reads them, as data from strangers.
- :mod:`c4core.proof.weakc4` is what they say.
- :mod:`c4core.proof.weakc4_turns` plays one turn of a diagram in many positions.
- :mod:`c4core.proof.weakc4_following` follows a diagram to the ends of all games.
- :mod:`c4core.proof.weakc4_check` tries every reply to a solution.
- :mod:`c4core.proof.weakc4_known_moves` collects what is played in which position.
- :mod:`c4core.proof.weakc4_converting` makes the certificate.
- :mod:`c4core.proof.weakc4_errors` says what is wrong, and where.
"""

from c4core.proof.weakc4_check import check
from c4core.proof.weakc4_converting import certificate_of
from c4core.proof.weakc4_files import read_solution
from c4core.proof.weakc4 import Entry, Solution

__all__ = ["Entry", "Solution", "certificate_of", "check", "read_solution"]

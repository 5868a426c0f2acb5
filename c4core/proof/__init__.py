"""Certificates: proofs of scores that can be checked without any search.

>>> from c4core import Position
>>> from c4core.proof import Certificate, make
>>> certificate = Certificate(make(Position(board="4x4")))
>>> certificate.info.lower, certificate.info.upper
(0, 0)
>>> [word.why for word in certificate.check().ask(Position("1", board="4x4"))]
['replies', 'move']
"""

from c4core.proof.certificate import Certificate, Proof
from c4core.proof.making import make
from c4core.proof.prover import Prover

__all__ = ["Certificate", "Proof", "Prover", "make"]

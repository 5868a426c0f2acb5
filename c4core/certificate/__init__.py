"""Certificates: proofs of scores that a program without any search can check.

>>> from c4core import Position
>>> from c4core.certificate import Certificate, make
>>> certificate = Certificate(make(Position(width=4, height=4)))
>>> certificate.info.lower, certificate.info.upper
(0, 0)
>>> [word.why for word in certificate.check().ask(Position("1", width=4, height=4))]
['replies', 'move']
"""

from c4core.certificate.certificate import Certificate
from c4core.certificate.making import make
from c4core.certificate.proof import Proof
from c4core.certificate.proving import Prover

__all__ = ["Certificate", "Proof", "Prover", "make"]

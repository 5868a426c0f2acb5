"""An engine that is spoken to in lines of text: the Universal Game Interface (UGI).

UGI is what UCI is for chess, made for any game, and tournament managers speak it
(https://github.com/kz04px/cutegames/blob/master/ugi.md).``reading`` says what lines mean,
``thinking`` finds moves, ``search`` does so beside the conversation, and ``session`` answers.
docs/adapters.md describes the protocol as it is spoken here.
"""

from c4core.adapters.ugi.session import Session

__all__ = ["Session"]

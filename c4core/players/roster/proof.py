"""``proof``: plays by a certificate, without any search."""

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Final, TypeAlias

from c4core.dice import Dice
from c4core.notation import BoardSize
from c4core.players.errors import Failing, PlayerError, PlayerFailure, StopPlaying, is_exhaustion
from c4core.players.parameters import Value
from c4core.players.player import NO_LIMITS, GameStart, Limits, Player, columns_from_centre
from c4core.players.registry import player_of_argument
from c4core.players.stopping import Stop
from c4core.position import Position, Side
from c4core.proof import Certificate, Proof
from c4core.proof.certificate import BOARDS, named_file
from c4core.proof.errors import CertificateError, ClaimError
from c4core.proof.format import CertificateInfo

KEPT: Final = 4
"""This many proofs of a side are kept in memory; each takes nine bytes a position."""

_Key: TypeAlias = tuple[str, int, int, Side]


class _Checked:
    """The last proofs that were checked. A file that has changed is checked again."""

    def __init__(self) -> None:
        self._kept: dict[_Key, Proof] = {}
        self._lock = Lock()

    def proof(self, path: Path, side: Side, stop: Stop) -> Proof:
        """The proof of a certificate for a side.

        Raises:
            CertificateError: it is not a proof.
            OSError: it cannot be read.
            StopPlaying: the stop was set. The time of a move does not matter, or a player with
                little time would begin again at each move.
        """

        def poll(_positions: int) -> None:
            if stop.is_set:
                raise StopPlaying

        state = path.stat()
        key = (str(path.resolve()), state.st_mtime_ns, state.st_size, side)
        with self._lock:
            known = self._kept.pop(key, None)
        if known is None:
            known = Certificate.open(path).check(poll, prover=side)
        with self._lock:
            self._kept[key] = known  # the last is the newest
            for oldest in tuple(self._kept)[:-KEPT]:
                del self._kept[oldest]
        return known


_checked: Final = _Checked()


@player_of_argument("proof", "FILE", source="this project's certificates")
class ProofPlayer(Player):
    """Follows a certificate: it never scores less than the bound, and searches nothing."""

    argument: str

    reads_files = True

    @classmethod
    def is_shipped(cls, values: Mapping[str, Value]) -> bool:
        """Whether the certificate comes with c4."""
        return str(values["argument"]) in {str(board) for board in BOARDS}

    def __post_init__(self) -> None:
        """Check the file's bytes. Whether it is a proof is checked when a game begins.

        Raises:
            PlayerError: it cannot be read, or is not a certificate.
        """
        super().__post_init__()
        self._read()

    def check_board(self, board: BoardSize) -> None:
        """Check that the certificate is for a board.

        Raises:
            PlayerError: it is for another board, or can no longer be read.
        """
        known = self._read().board
        if board != known:
            raise self._error(f"{self.argument} is about {known}, not {board}")

    def begin(self, game: GameStart) -> None:
        """Check the proof. This takes seconds for a large one, and a process does it once.

        Raises:
            PlayerFailure: it is not a proof, or proves nothing for this side.
            StopPlaying: the game's stop was set before.
        """
        self._proof(game.side, game.stop)

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """The 0-based column to play. Of several columns the one nearest the middle is played.

        Raises:
            PlayerFailure: the proof says nothing of this position.
        """
        proof = self._proof(position.turn, limits.stop)
        try:
            (word,) = proof.ask(position)
        except ClaimError as error:
            raise self._failure(str(error)) from None
        if not word.columns:
            raise self._failure("the proof does not come to this position")
        return next(c for c in columns_from_centre(position.width) if c in word.columns)

    def _proof(self, side: Side, stop: Stop | None) -> Proof:
        """The proof of the certificate for a side."""
        try:
            proof = _checked.proof(named_file(self.argument), side, stop or Stop())
        except (CertificateError, OSError) as error:
            if is_exhaustion(error):
                raise
            raise PlayerFailure(Failing.ERROR, str(error)) from None  # which names the file
        if not proof.halves:
            raise self._failure(f"it proves nothing that {side} could keep to")
        return proof

    def _read(self) -> CertificateInfo:
        """The information at the head of the certificate.

        Raises:
            PlayerError: it cannot be read, or is not a certificate.
        """
        try:
            return Certificate.open(named_file(self.argument)).info
        except OSError as error:
            raise self._error(f"{self.argument}: {error.strerror}") from None
        except CertificateError as error:
            raise self._error(str(error)) from None
        except ValueError as error:  # no file can have such a name
            raise self._error(f"{self.argument!r}: {error}") from None

    def _error(self, message: str) -> PlayerError:
        return PlayerError(f"player proof: {message}", player=self.kind.name)

    def _failure(self, message: str) -> PlayerFailure:
        return PlayerFailure(Failing.ERROR, f"{self.argument}: {message}")

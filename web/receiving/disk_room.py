"""How much of what clients have sent may lie on the disk at the same time."""

from __future__ import annotations

from web.errors import ApiError, unavailable


class DiskRoom:
    """Room on the disk that all clients share. For the event loop only.

    Args:
        most: bytes.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0

    @property
    def taken(self) -> int:
        """Bytes that are in use."""
        return self._taken

    def take(self, size: int) -> bool:
        """Take so many bytes; whether there were as many."""
        if self._taken + size > self._most:
            return False
        self._taken += size
        return True

    def give_back(self, size: int) -> None:
        """Give back bytes that were taken."""
        self._taken -= size

    def refusal(self) -> ApiError:
        """The answer where there is no room: 503, to be tried again."""
        return unavailable(
            f"{self._most:,} bytes of others wait to be answered, and there is room for no more; "
            "try again later"
        )

    def check(self) -> None:
        """Refuse what would begin to wait behind others.

        Raises:
            ApiError: 503, all room is in use.
        """
        if self._taken >= self._most:
            raise self.refusal()

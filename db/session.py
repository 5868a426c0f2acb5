"""The type of what every function of this package takes first, for those who write no SQL."""

from __future__ import annotations

from sqlalchemy.orm import Session

__all__ = ["Session"]

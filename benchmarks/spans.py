"""Times that take minutes or hours, as the documents write them."""

from __future__ import annotations


def span_text(seconds: float) -> str:
    """Hours, minutes, seconds: ``1 h 01 min``, ``18 min 21 s``, ``2.5 s``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"

"""Text that every database stores unchanged."""

from hypothesis import strategies as st


def storable_text(*, max_size: int | None = None) -> st.SearchStrategy[str]:
    """Any characters except NUL and lone surrogates, which PostgreSQL cannot store."""
    kept = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
    return st.text(kept, max_size=max_size)

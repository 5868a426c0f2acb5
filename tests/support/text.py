"""Text that every database keeps to the letter."""

from hypothesis import strategies as st


def storable_text(*, max_size: int | None = None) -> st.SearchStrategy[str]:
    """Any characters but NUL and lone surrogates, which PostgreSQL has no place for."""
    kept = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
    return st.text(kept, max_size=max_size)

"""The matches of the source documents, played again."""

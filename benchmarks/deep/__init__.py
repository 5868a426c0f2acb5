"""A simulation of many workers that search one position together."""

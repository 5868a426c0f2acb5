"""Commands, processes, servers and terminals for tests, and waiting for them."""

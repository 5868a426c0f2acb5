"""What runs: commands, processes, servers, terminals, and waiting for them."""

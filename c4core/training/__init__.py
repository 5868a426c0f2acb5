"""Training of the network with which the engine orders moves."""

"""The scaling of the service: the costs of units and messages, and the resulting limits."""

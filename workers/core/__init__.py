"""How any job is worked on: kinds, units claimed and completed, leases, progress."""

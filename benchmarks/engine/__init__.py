"""The speed of the solver, alone and compared with other solvers."""

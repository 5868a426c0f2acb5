"""The speed of the solver, alone and beside other solvers."""

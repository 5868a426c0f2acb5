"""How fast the solver is, alone and beside others."""

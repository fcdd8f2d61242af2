"""eager - Ops that run when they are called."""

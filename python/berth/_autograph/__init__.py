"""Python rewritten so that `if`, `while` and `for` over tensors become branches and loops of a graph."""

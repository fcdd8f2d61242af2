"""framework - Graphs, types, shapes, device names and errors."""

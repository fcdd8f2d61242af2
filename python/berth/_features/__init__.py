"""Feature columns: what programs say of their features, and the tensors that come of it."""

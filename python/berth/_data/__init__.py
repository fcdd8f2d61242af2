"""data - tf.data: datasets, what goes through them, and where they come from."""

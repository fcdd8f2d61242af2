"""_distributions - tf.distributions: what is drawn from, and how likely a value is."""

"""layers - What networks are made of in TF1: tf.layers, tf.losses, tf.metrics."""

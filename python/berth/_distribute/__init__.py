"""tf.distribute: variables and steps on several devices."""

"""tf.train: optimisers, averages, schedules, checkpoints, hooks and the sessions that they watch over."""

"""modules - Modules of TensorFlow that stand beside ops: tf.app, tf.config, tf.flags, tf.test."""

"""contrib - tf.contrib: names of TF1 for what stands elsewhere, and the layers of contrib and slim."""

"""ops - Wrappers of ops, by family, under TensorFlow's names."""

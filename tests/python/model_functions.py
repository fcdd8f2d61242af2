"""model_functions.py - What the models of object_models.py and saved_models.py have in common: their functions."""

from __future__ import annotations

import tensorflow as tf


class Functions(tf.Module):
    """Functions of many kinds; the |layers|, |calls| and |large| that they use are those of the model."""

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x, {"sum": tf.reduce_sum(x)}, None

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def loop(self, n):
        self.calls.assign_add(1)
        total = tf.constant(0)
        while n > 0:
            total += n if n % 2 == 0 else -n
            n -= 1
        return total

    @tf.function
    def nested(self, d, *rest, scale=1.0, **more):
        return d["a"] * scale + d["b"][0] + sum(rest) + sum(more.values())

    @tf.function
    def chosen(self, x, n, training=False):
        return x * n if training else x + n

    @tf.function(input_signature=[])
    def total(self):
        return tf.reduce_sum(self.large)

    @tf.function(input_signature=[tf.TensorSpec([2], name="first"), tf.TensorSpec([], tf.int32)])
    def two(self, a, n):
        return a * tf.cast(n, tf.float32)

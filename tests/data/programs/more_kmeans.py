import numpy as np
import tensorflow as tf

points = tf.constant([[0., 0.], [0., 1.], [10., 10.], [10., 11.], [1., 0.]])
centers = tf.Variable([[0., 0.], [5., 5.]])

@tf.function
def step():
    d = tf.reduce_sum(tf.square(points[:, None] - centers[None]), -1)
    near = tf.argmin(d, 1, output_type=tf.int32)
    sums = tf.math.unsorted_segment_sum(points, near, 2)
    counts = tf.math.unsorted_segment_sum(tf.ones([5]), near, 2)
    centers.assign(sums / counts[:, None])
    return near

for _ in range(3):
    near = step()
print(near, centers)
print(tf.dynamic_partition(points, near, 2))
print(tf.math.bincount(near), tf.gather(points, tf.where(near == 0)[:, 0]))
print(step.experimental_get_tracing_count(), step.get_concrete_function().variables)

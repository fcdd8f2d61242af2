import tensorflow as tf

points = tf.constant([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [6.0, 5.0], [5.5, 6.0]])
centroids = tf.constant([[0.0, 0.0], [5.0, 5.0]])
for _ in range(3):
    d = tf.reduce_sum(tf.math.squared_difference(points[:, None], centroids[None]), axis=2)
    assign = tf.argmin(d, axis=1)
    total = tf.math.unsorted_segment_sum(points, assign, 2)
    count = tf.math.unsorted_segment_sum(tf.ones([5, 1]), assign, 2)
    centroids = total / count
print(assign, centroids)
parts = tf.dynamic_partition(points, tf.cast(assign, tf.int32), 2)
print([p.numpy().tolist() for p in parts])
print(tf.math.unsorted_segment_mean(points, assign, 2).numpy())

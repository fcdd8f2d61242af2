import tensorflow as tf

edges = [-1, 3.3, 9.1, 10.0]
values = [0.0, 4.1, 12.0]
print(tf.searchsorted(edges, values))
print(tf.searchsorted([[0, 3, 9, 9, 10], [1, 2, 3, 4, 5]], [[2, 4, 9], [0, 2, 6]], side='right').numpy())
print(tf.searchsorted([1, 2, 2, 3], [2], side='left', out_type=tf.int64))
print(tf.raw_ops.NthElement(input=[[5, 1, 4], [7, 9, 8]], n=1))
print(tf.math.lbeta([1.0, 2.0]))
print(tf.one_hot([0, 2], 3, on_value='x', off_value='-').numpy())
print(tf.one_hot([[0], [1]], 2, axis=0).numpy().tolist())
print(tf.linspace(0.0, 1.0, 5), tf.range(3, 0, -1).numpy(), tf.range(0.0, 1.0, 0.25).numpy())

import tensorflow as tf

print(tf.repeat(['a', 'b', 'c'], repeats=[3, 0, 2], axis=0))
print(tf.repeat([[1, 2], [3, 4]], repeats=[2, 3], axis=0))
print(tf.repeat([[1, 2], [3, 4]], repeats=[2, 3], axis=1).numpy())
print(tf.repeat(3, repeats=4).numpy())
print(tf.repeat([[1, 2], [3, 4]], repeats=2))
print(tf.math.is_non_decreasing([1, 1, 3]).numpy(), tf.math.is_strictly_increasing([1, 1, 3]).numpy())
print(tf.math.polyval([1.0, 2.0, 3.0], 2.0), tf.nn.silu([1.0, -1.0]).numpy(), tf.math.log_sigmoid([0.0]).numpy())
print(tf.nn.gelu([0.0, 1.0]).numpy(), tf.nn.crelu([1.0, -2.0]).numpy())
print(tf.tile([[1], [2]], [1, 3]).numpy().tolist())

"""Arguments that are missing, too many, or called otherwise."""
import tensorflow as tf

a = tf.constant([[1., 2.], [3., 4.]])
CALLS = [
    lambda: tf.add(a), lambda: tf.add(), lambda: tf.add(a, a, 'n', 4), lambda: tf.add(a, z=a), lambda: tf.add(a, x=a, y=a),
    lambda: tf.matmul(a), lambda: tf.matmul(a, a, transpose_c=True), lambda: tf.reshape(a), lambda: tf.reshape(a, [4], [2], 'n', 5),
    lambda: tf.zeros(), lambda: tf.ones(size=[2]), lambda: tf.fill([2]), lambda: tf.concat([a]), lambda: tf.concat([a], dim=0),
    lambda: tf.stack(), lambda: tf.split(a), lambda: tf.cast(a), lambda: tf.cast(a, dtype=tf.int32, to=3), lambda: tf.reduce_sum(),
    lambda: tf.reduce_sum(a, reduction_indices=0), lambda: tf.reduce_mean(a, keep_dims=True), lambda: tf.argmax(a, dimension=1),
    lambda: tf.cos(), lambda: tf.cos(a, 'n', 3), lambda: tf.cos(y=a), lambda: tf.maximum(a), lambda: tf.tile(a), lambda: tf.tile(a, [1, 1], 'n', 1, 2),
    lambda: tf.exp(), lambda: tf.exp(a, 1, 2), lambda: tf.where(), lambda: tf.one_hot([1]), lambda: tf.gather(a), lambda: tf.transpose(),
    lambda: tf.nn.relu(), lambda: tf.nn.softmax(), lambda: tf.nn.softmax(a, dim=1), lambda: tf.nn.dropout(a), lambda: tf.nn.dropout(a, keep_prob=.5),
    lambda: tf.random.normal(), lambda: tf.random.uniform(low=0), lambda: tf.strings.join(), lambda: tf.strings.split('a b', delimiter=' '),
    lambda: tf.linalg.inv(), lambda: tf.math.log(), lambda: tf.math.log(a, base=2), lambda: tf.clip_by_value(a, 1.), lambda: tf.image.resize(a),
    lambda: tf.range(), lambda: tf.linspace(0., 1.), lambda: tf.squeeze(a, squeeze_dims=0), lambda: tf.raw_ops.Add(x=a), lambda: tf.raw_ops.Add(a, a),
    lambda: tf.constant(), lambda: tf.constant(1, type=tf.int32), lambda: tf.convert_to_tensor(), lambda: tf.identity(), lambda: tf.shape(),
]
for call in CALLS:
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, e)


@tf.function(autograph=False)
def f(x):
    for call in CALLS[:30]:
        try:
            print(call().shape)
        except Exception as e:
            print(type(e).__name__, e)
    return x


f(a)
print(tf.add.__name__, tf.concat.__name__, tf.stack.__doc__ is not None, callable(tf.stack))
print([str(g).split(" at ")[0] for g in (tf.add, tf.stack, tf.nn.relu, tf.zeros, tf.range)])

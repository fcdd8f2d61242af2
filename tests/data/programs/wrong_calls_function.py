"""Calls that are wrong, while a function is traced."""
import tensorflow as tf

CALLS = [
    lambda a, b, i, v, s: tf.add(a, b, c=3),
    lambda a, b, i, v, s: tf.add(i, 1.5),
    lambda a, b, i, v, s: tf.add(a, {}),
    lambda a, b, i, v, s: a + "s",
    lambda a, b, i, v, s: i / s,
    lambda a, b, i, v, s: a @ b @ v,
    lambda a, b, i, v, s: i % s,
    lambda a, b, i, v, s: a & i,
    lambda a, b, i, v, s: tf.matmul(1),
    lambda a, b, i, v, s: tf.matmul(a, i),
    lambda a, b, i, v, s: tf.matmul("a", "b"),
    lambda a, b, i, v, s: tf.reshape(a, [-1, 4]),
    lambda a, b, i, v, s: tf.reshape(a, None),
    lambda a, b, i, v, s: tf.reduce_sum(a, axis=9),
    lambda a, b, i, v, s: tf.reduce_sum(s),
    lambda a, b, i, v, s: tf.reduce_max(a, axis=-3),
    lambda a, b, i, v, s: tf.concat([a, b], 5),
    lambda a, b, i, v, s: tf.concat([], 0),
    lambda a, b, i, v, s: tf.concat([a, s], 0),
    lambda a, b, i, v, s: tf.stack([a, b], axis=7),
    lambda a, b, i, v, s: tf.unstack(a, axis=5),
    lambda a, b, i, v, s: tf.split(a, [1, 5]),
    lambda a, b, i, v, s: tf.zeros(),
    lambda a, b, i, v, s: tf.zeros(None),
    lambda a, b, i, v, s: tf.constant([[1], [2, 3]]),
    lambda a, b, i, v, s: tf.constant(),
    lambda a, b, i, v, s: tf.constant([1, [2]]),
    lambda a, b, i, v, s: tf.constant(1, "float33"),
    lambda a, b, i, v, s: tf.convert_to_tensor("x", tf.float32),
    lambda a, b, i, v, s: tf.one_hot([1]),
    lambda a, b, i, v, s: tf.cast(a, None),
    lambda a, b, i, v, s: tf.cast(a, tf.string),
    lambda a, b, i, v, s: tf.range(0, 10, 0),
    lambda a, b, i, v, s: tf.range([1, 2]),
    lambda a, b, i, v, s: tf.expand_dims(a, 5),
    lambda a, b, i, v, s: tf.squeeze(a, [0, 5]),
    lambda a, b, i, v, s: tf.transpose(a, "xy"),
    lambda a, b, i, v, s: tf.gather(a, 10),
    lambda a, b, i, v, s: tf.gather("a", 0),
    lambda a, b, i, v, s: tf.slice(a, [0, 0], [9, 9]),
    lambda a, b, i, v, s: tf.boolean_mask(a, [1, 0]),
    lambda a, b, i, v, s: tf.where(a > 0, a),
    lambda a, b, i, v, s: tf.argmax(a, dimension=0),
    lambda a, b, i, v, s: tf.clip_by_norm(i, 1.),
    lambda a, b, i, v, s: tf.nn.softmax(a, 5),
    lambda a, b, i, v, s: tf.nn.dropout(a, 2.),
    lambda a, b, i, v, s: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 7], logits=a),
    lambda a, b, i, v, s: tf.nn.sigmoid_cross_entropy_with_logits(labels=a, logits=v),
    lambda a, b, i, v, s: tf.nn.top_k(a, -1),
    lambda a, b, i, v, s: tf.math.log(i),
    lambda a, b, i, v, s: tf.maximum(a, i),
    lambda a, b, i, v, s: tf.logical_and(a, b),
    lambda a, b, i, v, s: tf.sign(s),
    lambda a, b, i, v, s: tf.add_n([a, v]),
    lambda a, b, i, v, s: tf.math.divide_no_nan(i, i),
    lambda a, b, i, v, s: tf.math.top_k(a, k="x"),
    lambda a, b, i, v, s: tf.identity([1, [2]]),
    lambda a, b, i, v, s: tf.broadcast_to(a, [5, 5]),
    lambda a, b, i, v, s: tf.einsum("ij,jk", a),
    lambda a, b, i, v, s: tf.tensordot(a, b, 3),
    lambda a, b, i, v, s: tf.linalg.inv(i),
    lambda a, b, i, v, s: tf.eye(-1),
    lambda a, b, i, v, s: tf.strings.join("a", 5, 6),
    lambda a, b, i, v, s: tf.strings.to_number("x"),
    lambda a, b, i, v, s: tf.strings.format("{} {}", (1,)),
    lambda a, b, i, v, s: tf.image.rgb_to_grayscale(a),
    lambda a, b, i, v, s: tf.random.normal([2], dtype=tf.int32),
    lambda a, b, i, v, s: tf.control_dependencies(),
    lambda a, b, i, v, s: tf.case(5),
    lambda a, b, i, v, s: tf.TensorShape([1.5]),
]


def traced(number, call):
    def python():
        try:
            shown = call(tf.constant([[1., 2.], [3., 4.]]), tf.constant([[5., 6.], [7., 8.]]), tf.constant([[1, 2], [3, 4]]),
                         tf.constant([1., 2., 3.]), tf.constant('str'))
            print(number, repr(shown))
        except Exception as e:
            print(number, type(e).__name__, e)
        return tf.constant(0)
    tf.function(python, autograph=False).get_concrete_function()


for number, call in enumerate(CALLS):
    traced(number, call)

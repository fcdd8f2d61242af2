"""Calls that are wrong, while a function is traced."""
import tensorflow as tf

CALLS = [
    lambda a, b, i, v, s: tf.add(1, "a"),
    lambda a, b, i, v, s: tf.add(None, a),
    lambda a, b, i, v, s: tf.add(a, b, 5),
    lambda a, b, i, v, s: a + None,
    lambda a, b, i, v, s: s * 2,
    lambda a, b, i, v, s: a ** "k",
    lambda a, b, i, v, s: abs(s),
    lambda a, b, i, v, s: a == i,
    lambda a, b, i, v, s: tf.matmul(a, v),
    lambda a, b, i, v, s: tf.matmul(a, b, True, True),
    lambda a, b, i, v, s: tf.matmul([[1, 2]], [[1.], [2.]]),
    lambda a, b, i, v, s: tf.reshape(a, "b"),
    lambda a, b, i, v, s: tf.reshape(a, [2, None]),
    lambda a, b, i, v, s: tf.reduce_sum(a, axis=[0, 0]),
    lambda a, b, i, v, s: tf.reduce_mean("a"),
    lambda a, b, i, v, s: tf.reduce_any(i),
    lambda a, b, i, v, s: tf.concat([a, i], 0),
    lambda a, b, i, v, s: tf.concat([a, b]),
    lambda a, b, i, v, s: tf.stack([a, v]),
    lambda a, b, i, v, s: tf.stack([1, "a"]),
    lambda a, b, i, v, s: tf.unstack(1),
    lambda a, b, i, v, s: tf.split(a),
    lambda a, b, i, v, s: tf.zeros([-1]),
    lambda a, b, i, v, s: tf.fill([2, 2], [1, 2]),
    lambda a, b, i, v, s: tf.constant(1.5, tf.int32),
    lambda a, b, i, v, s: tf.constant(1, foo=2),
    lambda a, b, i, v, s: tf.constant(-1, tf.uint32),
    lambda a, b, i, v, s: tf.convert_to_tensor([1, "a"]),
    lambda a, b, i, v, s: tf.one_hot([1], "a"),
    lambda a, b, i, v, s: tf.one_hot([1], 3, axis=5),
    lambda a, b, i, v, s: tf.cast("a", tf.float32),
    lambda a, b, i, v, s: tf.cast(None, tf.int32),
    lambda a, b, i, v, s: tf.range("a"),
    lambda a, b, i, v, s: tf.linspace(0., 1., "a"),
    lambda a, b, i, v, s: tf.expand_dims(a, "q"),
    lambda a, b, i, v, s: tf.transpose(a, [0, 0]),
    lambda a, b, i, v, s: tf.tile(a, [-1, 1]),
    lambda a, b, i, v, s: tf.gather(a, [0], axis=7),
    lambda a, b, i, v, s: tf.gather_nd(a, [1.5]),
    lambda a, b, i, v, s: tf.slice(a, 0, 1),
    lambda a, b, i, v, s: tf.where([1, 2], a, b),
    lambda a, b, i, v, s: tf.argmax(a, axis=8),
    lambda a, b, i, v, s: tf.clip_by_value(a, 5),
    lambda a, b, i, v, s: tf.nn.relu(),
    lambda a, b, i, v, s: tf.nn.bias_add(a, a),
    lambda a, b, i, v, s: tf.nn.moments(a),
    lambda a, b, i, v, s: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0.5, 1.], logits=a),
    lambda a, b, i, v, s: tf.nn.embedding_lookup(a, [7]),
    lambda a, b, i, v, s: tf.exp(s),
    lambda a, b, i, v, s: tf.pow(2, -1),
    lambda a, b, i, v, s: tf.equal(a, "x"),
    lambda a, b, i, v, s: tf.abs("a"),
    lambda a, b, i, v, s: tf.add_n(5),
    lambda a, b, i, v, s: tf.truediv(a, i),
    lambda a, b, i, v, s: tf.math.segment_sum(a, [0]),
    lambda a, b, i, v, s: tf.identity(),
    lambda a, b, i, v, s: tf.shape(None),
    lambda a, b, i, v, s: tf.pad(a, [[1, 1]]),
    lambda a, b, i, v, s: tf.einsum("ij->ijk", a),
    lambda a, b, i, v, s: tf.tensordot(a, b, "x"),
    lambda a, b, i, v, s: tf.linalg.diag_part(1.),
    lambda a, b, i, v, s: tf.norm(a, ord="z"),
    lambda a, b, i, v, s: tf.strings.length(a),
    lambda a, b, i, v, s: tf.strings.regex_replace("a", "(", "b"),
    lambda a, b, i, v, s: tf.image.resize(tf.zeros([1, 2, 2, 1]), 5),
    lambda a, b, i, v, s: tf.random.uniform([2], 5, 1, dtype=tf.int32),
    lambda a, b, i, v, s: tf.name_scope(5),
    lambda a, b, i, v, s: tf.cond(True),
    lambda a, b, i, v, s: tf.map_fn(5, a),
    lambda a, b, i, v, s: tf.TensorSpec(),
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

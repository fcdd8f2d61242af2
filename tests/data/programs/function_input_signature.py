import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([], tf.int32, name="k")])
def f(x, k):
    print("trace", x, k)
    return tf.reduce_sum(x) * tf.cast(k, tf.float32)


attempt(lambda: f(tf.ones([3, 2]), 2))
attempt(lambda: f([[1.0, 2.0]], tf.constant(3)))
attempt(lambda: f(tf.ones([3, 2]), k=2))
attempt(lambda: f(tf.ones([3, 3]), 2))
attempt(lambda: f(tf.ones([3, 2]), 2.5))
attempt(lambda: f(tf.ones([3, 2])))
attempt(lambda: f(tf.ones([3, 2]), 1, 2))
attempt(lambda: f(tf.ones([3, 2]), z=2))
attempt(lambda: f("a", 1))
attempt(lambda: f.get_concrete_function())
attempt(lambda: f.get_concrete_function(tf.ones([1, 2]), 1))
attempt(lambda: f.input_signature)
attempt(lambda: f.function_spec)
attempt(lambda: tf.function(lambda x: x, input_signature=[tf.TensorSpec([])] * 2)(1.0, 2.0))
attempt(lambda: tf.function(lambda: 1, input_signature=[1]))
attempt(lambda: tf.function(lambda x: x, input_signature=tf.TensorSpec([]))(1.0))
attempt(lambda: f.experimental_get_tracing_count())
attempt(lambda: f.python_function)

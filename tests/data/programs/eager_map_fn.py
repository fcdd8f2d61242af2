import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


elems = tf.constant([1, 2, 3])
print(tf.map_fn(lambda t: t * 2, elems))
print(tf.map_fn(fn=lambda t: tf.range(t, t + 3), elems=tf.constant([3, 5, 2])))
print(tf.map_fn(lambda t: t[0] * t[1], (elems, tf.constant([-1, 1, -1])), fn_output_signature=tf.int32))
print(tf.map_fn(lambda t: (t, -t), tf.constant([1.0, 2.0]), fn_output_signature=(tf.float32, tf.float32)))
print(tf.map_fn(lambda t: tf.cast(t, tf.string) if False else tf.strings.as_string(t), elems, fn_output_signature=tf.string))
print(tf.map_fn(lambda d: d["a"] + d["b"], {"a": elems, "b": elems}, fn_output_signature=tf.int32))
print(tf.map_fn(lambda t: t, tf.zeros([0, 2])))
print(tf.foldl(lambda a, x: a + x, elems), tf.foldr(lambda a, x: a * 2 + x, elems, initializer=10))
print(tf.scan(lambda a, x: a + x, elems))
print(tf.scan(lambda a, x: a + x, tf.constant([1.0, 2.0, 3.0]), initializer=10.0, reverse=True))
print(tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.zeros([6]), initializer=(tf.constant(0), tf.constant(1)))[0])
print(tf.vectorized_map(lambda t: t * t + 1, elems))
print(tf.vectorized_map(lambda t: tf.reduce_sum(t), tf.ones([2, 3])))
attempt(lambda: tf.map_fn(lambda t: tf.cast(t, tf.float32), elems))
attempt(lambda: tf.map_fn(lambda t: t, tf.constant(1)))
attempt(lambda: tf.map_fn(3, elems))
attempt(lambda: tf.map_fn(lambda t: t, []))
attempt(lambda: tf.map_fn(lambda t: (t, t), elems))
attempt(lambda: tf.map_fn(lambda t: tf.range(t), elems))
attempt(lambda: tf.foldl(lambda a, x: a, tf.zeros([0])))
attempt(lambda: tf.scan(1, elems))

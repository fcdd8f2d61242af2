import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


t = tf.constant([[1, 2], [3, 4]])
attempt(lambda: (t.ndim, t.shape, t.dtype, t.get_shape(), t.shape.rank))
attempt(lambda: (t.device, t.backing_device))
attempt(lambda: t.name)
attempt(lambda: t.consumers())
attempt(lambda: t.value_index)
attempt(lambda: t.op)
attempt(lambda: t.set_shape([2, 2]))
attempt(lambda: t.set_shape([3, 2]))
attempt(lambda: t.eval())
attempt(lambda: t.is_packed)
attempt(lambda: t.__array__())
attempt(lambda: t.__len__())
attempt(lambda: t.__index__())
attempt(lambda: tf.constant(3).__index__())
attempt(lambda: tf.constant(3.0).__index__())
attempt(lambda: t.numpy().flags.writeable)
attempt(lambda: memoryview(t).shape)
attempt(lambda: t.cpu() is t)
attempt(lambda: tf.executing_eagerly_outside_functions() if hasattr(tf, "executing_eagerly_outside_functions") else "-")
attempt(lambda: t())
attempt(lambda: t < "a")
attempt(lambda: t + None)
attempt(lambda: None + t)
attempt(lambda: t << 1)
attempt(lambda: +t)
attempt(lambda: t and True)
attempt(lambda: tf.get_static_value(t))
attempt(lambda: tf.is_tensor(t) and not tf.is_tensor(5))
attempt(lambda: tf.make_ndarray(tf.make_tensor_proto([1, 2])))
attempt(lambda: tf.make_tensor_proto([1.5, 2.5]))
attempt(lambda: t.experimental_ref() if hasattr(t, "experimental_ref") else "gone")

# TF1
import numpy as np
import tensorflow as tf

a = tf.constant([[1, 2], [3, 4]], name='mat')
b = tf.constant('s')
print(a, repr(a), str(b))
print(a[0], a[:, 1], a[..., tf.newaxis].shape, a.shape, a.dtype, a.name, a.op.name)
print(tf.shape(a), tf.rank(a), tf.size(a), a.get_shape().num_elements())
for bad in [lambda: bool(a), lambda: len(a), lambda: [x for x in a], lambda: a and 1, lambda: float(a), lambda: int(b),
            lambda: np.array(a), lambda: a.numpy(), lambda: a == 3, lambda: hash(a) == hash(a), lambda: a.nope,
            lambda: {a: 1}[a], lambda: a in [a], lambda: tf.constant(3)[0], lambda: if_tensor(a)]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, str(e).replace('\n', ' ')[:150])
op = a.op
print(op.name, op.type, repr(op))
print(str(op).splitlines()[:3])
sess = tf.Session()
print(sess.run(a[1]))
print(a is op.outputs[0], a.consumers()[:1], isinstance(a, tf.Tensor), isinstance(op, tf.Operation))

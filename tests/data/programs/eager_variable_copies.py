import copy
import pickle

import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


v = tf.Variable([1.0, 2.0], name="weights")
c = copy.deepcopy(v)
c.assign([5.0, 6.0])
print(v.numpy(), c.numpy(), c.name, c.trainable)
t = tf.constant([1, 2])
print(copy.copy(t), copy.deepcopy(t))
attempt(lambda: copy.copy(v))
p = pickle.loads(pickle.dumps(v))
print(p)
print(pickle.loads(pickle.dumps(t)))
print(pickle.loads(pickle.dumps(tf.float32)), pickle.loads(pickle.dumps(tf.TensorShape([1, None]))))
print(pickle.loads(pickle.dumps(tf.TensorSpec([2], tf.int32, "a"))))
d = copy.deepcopy({"a": v, "b": [t, 3]})
print(d)
print(v.read_value(), v.value())
print(v.get_shape(), v.handle.dtype, v.is_initialized())
print(v.experimental_ref() if hasattr(v, "experimental_ref") else "no", v.ref() == v.ref())
print(tf.is_tensor(v), isinstance(v, tf.Variable), isinstance(v, tf.Tensor), isinstance(t, tf.Tensor))
print(tf.Variable(1, synchronization=tf.VariableSynchronization.ON_READ).synchronization)
print(v.aggregation, v.constraint, v.device, v.op if False else "")
print(tf.Variable([1, 2], shape=tf.TensorShape(None)).shape, tf.Variable([[1]], shape=[None, 1]).shape)

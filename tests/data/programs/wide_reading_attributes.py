import tensorflow as tf

t = tf.constant([[1., 2.], [3., 4.]])
print(t.shape, t.dtype, t.device, t.ndim, t.numpy().shape, t.backing_device)
print(type(t.shape).__name__, type(t.dtype).__name__, isinstance(t, tf.Tensor), type(t).__name__)
print(tf.rank(t).numpy(), t.get_shape().as_list())
for name in ('op', 'graph', 'name', 'value_index', 'consumers'):
    try:
        v = getattr(t, name)
        print(name, v() if callable(v) else v)
    except Exception as e:
        print(name, type(e).__name__, e)
for name in ('eval', 'foo', 'ravel', 'transpose', 'reshape', 'clip', 'size', 'tolist', 'T', 'astype', 'data', 'mean', 'any', 'initializer'):
    try:
        getattr(t, name)
        print(name, 'there')
    except AttributeError as e:
        print(name, str(e).split('\n')[0])
try:
    t.eval()
except Exception as e:
    print(type(e).__name__, e)
print(dir(tf.constant(1)).__contains__('numpy'))
import copy, pickle
print(copy.deepcopy(t), copy.copy(t) is t)
try:
    print(pickle.loads(pickle.dumps(t)))
except Exception as e:
    print(type(e).__name__, e)

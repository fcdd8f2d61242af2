# mode: v2
# what: which ops common functions call, and what the log says of int32 and of names
import tensorflow as tf
tf.debugging.set_log_device_placement(True)
ints = tf.constant([1, 2, 3])
longs = tf.constant([1, 2, 3], tf.int64)
floats = tf.constant([[1., 2.], [3., 4.]])


def show(label, function):
    print('##', label)
    try:
        function()
    except Exception as error:
        print(type(error).__name__)


show('ones', lambda: tf.ones((2, 2)))
show('zeros', lambda: tf.zeros([3]))
show('zeros of int32', lambda: tf.zeros((3,), tf.int32))
show('fill', lambda: tf.fill([2], 1.))
show('argmax', lambda: tf.argmax(ints))
show('split', lambda: tf.split(floats, 2))
show('stack', lambda: tf.stack([ints, ints]))
show('stack of numbers', lambda: tf.stack([ints[0], 7]))
show('concat', lambda: tf.concat([floats, floats], 0))
show('unstack', lambda: tf.unstack(floats))
show('gather', lambda: tf.gather(floats, [0]))
show('where', lambda: tf.where(ints > 1, ints, ints))
show('one_hot', lambda: tf.one_hot(ints, 4))
show('range', lambda: tf.range(3))
show('reduce_sum', lambda: tf.reduce_sum(floats, 0))
show('reduce_sum of int32', lambda: tf.reduce_sum(ints))
show('reduce_sum of int64', lambda: tf.reduce_sum(longs))
show('transpose', lambda: tf.transpose(floats))
show('reshape', lambda: tf.reshape(floats, [4]))
show('shape', lambda: tf.shape(floats))
show('cast', lambda: tf.cast(ints, tf.float32))
show('slice', lambda: floats[:, 1:])
show('iterate', lambda: list(ints))
show('expand_dims', lambda: tf.expand_dims(floats, 0))
show('operators', lambda: (floats + 1, 1 - floats, -floats, ints / 2, ints // 2, ints % 2, floats ** 2))
show('the same numbers', lambda: (floats + 1, floats * 1, floats + 1.))
show('equal', lambda: floats == floats)
show('uniform', lambda: tf.random.uniform([2]))
show('variable', lambda: tf.Variable(ints).assign_add(ints))
show('boolean_mask', lambda: tf.boolean_mask(floats, [True, False]))

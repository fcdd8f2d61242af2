# GPUs: Tesla K40c*2
import tensorflow as tf
R = tf.raw_ops
with tf.device('/gpu:1'):
    base = R.TensorListFromTensor(tensor=tf.constant([[1., 2.], [3., 4.]]), element_shape=[2])
    print(base.device, base)
    more = R.TensorListPushBack(input_handle=base, tensor=tf.constant([5., 6.]))
with tf.device('/gpu:0'):
    item = R.TensorListGetItem(input_handle=more, index=2, element_shape=[2], element_dtype=tf.float32)
    print(item.device, item.numpy())
    print(R.TensorListStack(input_handle=more, element_shape=[2], element_dtype=tf.float32))
with tf.device('/cpu:0'):
    rows = R.TensorListStack(input_handle=R.AddN(inputs=[more, more]), element_shape=[2], element_dtype=tf.float32)
    print(rows.device, rows.numpy())


@tf.function
def loop(x):
    with tf.device('/gpu:0'):
        ta = tf.TensorArray(tf.float32, 3)
        _, ta = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a.write(i, x * tf.cast(i, tf.float32))), (0, ta))
    with tf.device('/cpu:0'):
        on_host = ta.stack()
    with tf.device('/gpu:1'):
        return on_host, ta.stack(), ta.read(1)


for value in loop(tf.constant([1., 2.])):
    print(value)

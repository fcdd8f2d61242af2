# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4], name='x')
w = tf.get_variable('w', [3, 2])
u = tf.placeholder(tf.float32, name='u')
calls = dict(
    matmul=lambda: tf.matmul(x, w), add=lambda: x + w, dtype=lambda: x + tf.constant(1), concat=lambda: tf.concat([x, w], 1),
    reshape=lambda: tf.reshape(w, [4]), axis=lambda: tf.reduce_sum(x, 5), split=lambda: tf.split(w, 2, 0), stack=lambda: tf.stack([x, w]),
    squeeze=lambda: tf.squeeze(w, [0]), slice=lambda: w[3], too_many=lambda: w[0, 0, 0], expand=lambda: tf.expand_dims(w, 4),
    perm=lambda: tf.transpose(w, [0, 1, 2]), unstack=lambda: tf.unstack(u), iter=lambda: [i for i in x], boolean=lambda: bool(x),
    string=lambda: tf.matmul(x, 'a'), none=lambda: tf.matmul(x, None), onehot=lambda: tf.one_hot([1.5], 3), tile=lambda: tf.tile(w, [1]),
    lens=lambda: len(x), py_if=lambda: 1 if x > 0 else 0, numpy=lambda: x.numpy(), index=lambda: w['a'], array=lambda: __import__('numpy').array(x),
    contains=lambda: 1 in x, while_=lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1., [tf.constant(0)]),
    gather=lambda: tf.gather(w, [0.5]), bias=lambda: tf.nn.bias_add(x, [1., 2.]))
for name, call in calls.items():
    try:
        print(name, call())
    except Exception as e:
        print(name, type(e).__name__, e)

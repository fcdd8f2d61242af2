import tensorflow as tf

version = tuple(int(part) for part in tf.__version__.split('.')[:2])
TF2 = version >= (2, 0)
if not TF2:
    x = tf.placeholder(tf.float32, [2])
    with tf.Session() as sess:
        print(sess.run(x, {x: [1, 2]}))
else:
    x = tf.constant([1., 2.])
    print(x)

major = int(tf.__version__.split('.')[0])
if major == 1:
    from tensorflow import Session
    print(Session)
elif major == 2:
    print('two', tf.executing_eagerly())

if tf.__version__ < '2.0':
    tf.enable_eager_execution()
print(tf.add(x, 1).numpy())

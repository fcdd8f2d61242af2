import tensorflow as tf

if tf.__version__.startswith('1'):
    tf.enable_eager_execution()
    tf.set_random_seed(1)
else:
    tf.random.set_seed(1)

if int(tf.__version__[0]) < 2:
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    sess = tf.Session(config=config)
    log = tf.log
else:
    log = tf.math.log

print(tf.executing_eagerly())
print(log(tf.constant([1.0, 4.0])))
print(tf.Variable([1, 2], name='v'))

import logging
import os
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf

tf.get_logger().setLevel('ERROR')
print(tf.get_logger().name, tf.get_logger().level, tf.compat.v1.logging.get_verbosity() == tf.compat.v1.logging.ERROR)
tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.INFO)
print(tf.get_logger().getEffectiveLevel(), tf.compat.v1.logging.INFO, tf.compat.v1.logging.WARN)
tf.get_logger().handlers.clear()
handler = logging.StreamHandler(stream=__import__('sys').stdout)
handler.setFormatter(logging.Formatter('%(levelname)s:%(name)s:%(message)s'))
tf.get_logger().addHandler(handler)
tf.get_logger().propagate = False
tf.compat.v1.logging.info('step %d', 3)
tf.compat.v1.logging.warning('careful')
tf.compat.v1.logging.debug('hidden')
tf.compat.v1.logging.log_every_n(tf.compat.v1.logging.ERROR, 'every', 2)
flags = tf.compat.v1.flags
flags.DEFINE_integer('steps', 5, 'Steps.')
flags.DEFINE_string('name', 'x', 'Name.')
flags.DEFINE_boolean('fast', False, 'Fast.')
FLAGS = flags.FLAGS
FLAGS(['prog', '--steps=7', '--fast', 'rest'])
print(FLAGS.steps, FLAGS.name, FLAGS.fast, FLAGS['steps'].default)
try:
    FLAGS(['prog', '--steps=abc'])
except Exception as e:
    print(type(e).__name__, e)
try:
    FLAGS(['prog', '--nope=1'])
except Exception as e:
    print(type(e).__name__, e)
print(FLAGS.is_parsed(), sorted(k for k in FLAGS.flag_values_dict() if k in ('steps', 'name', 'fast')))

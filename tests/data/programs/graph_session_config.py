# TF1
import tensorflow as tf


def attempt(fn):
    try:
        s = fn()
        print(type(s).__name__)
        s.close()
    except (AttributeError, TypeError, ValueError, RuntimeError, tf.errors.OpError) as e:
        print(type(e).__name__, e)


attempt(lambda: tf.Session(config=tf.GPUOptions()))
attempt(lambda: tf.Session(config='config'))
attempt(lambda: tf.Session(config={'allow_soft_placement': True}))
attempt(lambda: tf.Session(target=3))
attempt(lambda: tf.Session(target='nonsense'))
attempt(lambda: tf.Session(graph=3))
attempt(lambda: tf.Session(config=tf.ConfigProto(device_count={'GPU': 0, 'CPU': 2})))
attempt(lambda: tf.ConfigProto(no_such_field=1))
attempt(lambda: tf.ConfigProto(intra_op_parallelism_threads='two'))
attempt(lambda: tf.InteractiveSession(config=tf.GPUOptions()))
config = tf.ConfigProto(log_device_placement=False, allow_soft_placement=True, device_count={'CPU': 2})
config.gpu_options.allow_growth = True
config.gpu_options.per_process_gpu_memory_fraction = 0.5
config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
print(config)
with tf.Session(config=config) as sess:
    for d in sess.list_devices():
        print(d.name, d.device_type)
    print(sess.graph is tf.get_default_graph(), sess.sess_str)
    print(tf.get_default_session() is sess)
    with tf.device('/cpu:1'):
        print(sess.run(tf.constant(3.)))
print(tf.get_default_session())
try:
    sess.run(tf.constant(1))
except RuntimeError as e:
    print(e)
bad = tf.ConfigProto(device_count={'CPU': -1})
attempt(lambda: tf.Session(config=bad))

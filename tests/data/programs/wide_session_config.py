# TF1
import tensorflow as tf

config = tf.ConfigProto(intra_op_parallelism_threads=2, inter_op_parallelism_threads=1,
                        device_count={'CPU': 2}, log_device_placement=False)
config.gpu_options.allow_growth = True
config.gpu_options.per_process_gpu_memory_fraction = 0.4
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
print(config)
with tf.device('/cpu:1'):
    x = tf.constant([[1., 2.]])
    y = tf.matmul(x, x, transpose_b=True)
with tf.Session(config=config) as s:
    for d in s.list_devices():
        print(d.name, d.device_type)
    print(s.run(y))
    print(s.graph is tf.get_default_graph(), s.sess_str, tf.get_default_session() is s)
print(tf.get_default_session())
try:
    s.run(y)
except RuntimeError as e:
    print(e)
try:
    y.eval()
except ValueError as e:
    print(e)
try:
    tf.Session(config='gpu')
except TypeError as e:
    print(e)
try:
    tf.Session(target=3)
except TypeError as e:
    print(e)

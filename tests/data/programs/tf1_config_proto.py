# TF1
import tensorflow as tf

config = tf.ConfigProto()
config.gpu_options.allow_growth = True
config.gpu_options.per_process_gpu_memory_fraction = 0.4
config.intra_op_parallelism_threads = 1
config.inter_op_parallelism_threads = 1
config.device_count['GPU'] = 0
print(config)
c2 = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False, device_count={'CPU': 2, 'GPU': 0},
                    gpu_options=tf.GPUOptions(visible_device_list='0', allow_growth=True))
print(c2)
print(c2.gpu_options.visible_device_list, c2.allow_soft_placement, c2.HasField('gpu_options'))
with tf.Session(config=c2) as sess:
    print([d.name for d in sess.list_devices()], [d.device_type for d in sess.list_devices()])
    with tf.device('/cpu:1'):
        a = tf.constant([1., 2.]) * 2
    print(sess.run(a), a.device)
for bad in [dict(config='x'), dict(config=5), dict(target=5), dict(graph='g'), dict(config=tf.GPUOptions())]:
    try:
        tf.Session(**bad)
    except Exception as e:
        print(type(e).__name__, e)
try:
    tf.ConfigProto(nope=1)
except ValueError as e:
    print(e)
print(tf.OptimizerOptions.L0, tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)))

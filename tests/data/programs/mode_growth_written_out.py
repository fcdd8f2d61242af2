import tensorflow as tf

gpus = tf.config.experimental.list_physical_devices('GPU')
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
config.gpu_options.per_process_gpu_memory_fraction = 0.4
config.gpu_options.allow_growth = True
sess = tf.compat.v1.Session(config=config)
print(config)
print(len(gpus), tf.executing_eagerly())
print(tf.matmul([[1., 2.]], [[3.], [4.]]))
print(sess.graph is tf.compat.v1.get_default_graph())

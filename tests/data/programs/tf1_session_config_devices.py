# TF1
import tensorflow as tf

config = tf.ConfigProto(device_count={'CPU': 3}, allow_soft_placement=True)
with tf.device('/device:CPU:1'):
    a = tf.constant([1., 2., 3.], name='a')
with tf.device('/device:CPU:2'):
    b = tf.Variable([1., 1., 1.], name='b')
with tf.device('/device:GPU:5'):
    c = tf.add(a, b, name='c')
with tf.device('/cpu:0'), tf.name_scope('host'):
    d = tf.reduce_sum(c, name='d')
print(a.device, b.device, c.device, d.device, b.initializer.device)
with tf.Session(config=config) as sess:
    print([(x.name.split('/')[-1], x.device_type) for x in sess.list_devices()])
    sess.run(b.initializer)
    meta = tf.RunMetadata()
    print(sess.run(d, options=tf.RunOptions(output_partition_graphs=True), run_metadata=meta))
    print(sess.run({'all': [a, b, c, d]}))
try:
    with tf.Session() as sess:
        sess.run(b.initializer)
except tf.errors.InvalidArgumentError as e:
    print(e.message.splitlines()[0], e.error_code)
    print('b' in e.message, 'CPU:2' in e.message)


@tf.RegisterGradient('Unused') if hasattr(tf, 'RegisterGradientX') else (lambda f: f)
def unused(op, grad):
    return grad


with tf.Graph().as_default(), tf.device(lambda op: '/cpu:0' if 'w' in op.name else ''):
    print(repr(tf.constant(1, name='w1').device), repr(tf.constant(1, name='x1').device))
with tf.Graph().as_default() as g:
    with g.device('/cpu:0'):
        k = tf.constant(1)
        with g.device('/job:ps/task:1'):
            m = tf.constant(1)
    with g.colocate_with(m.op):
        n = tf.constant(2)
    print(k.device, m.device, n.device, n.op.colocation_groups())

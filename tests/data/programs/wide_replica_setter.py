# TF1
import tensorflow as tf

print(tf.train.replica_device_setter(), tf.train.replica_device_setter(ps_tasks=0))
with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
    v = [tf.Variable(float(i), name='v%d' % i) for i in range(3)]
    total = tf.add(v[0], v[1], name='total')
    with tf.device('/gpu:1'):
        w = tf.Variable(1., name='w')
        k = tf.constant(1., name='k')
for t in v + [w]:
    print(t.name, t.device, t.initializer.device)
print(total.device, k.device)
cluster = {'ps': ['a:1', 'b:2', 'c:3'], 'worker': ['d:4']}
setter = tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:0/cpu:0', ps_strategy=lambda op: 2)
with tf.device(setter):
    x = tf.get_variable('x', [2], use_resource=True)
    y = tf.identity(x, name='y')
print(x.device, y.device)
try:
    tf.train.replica_device_setter(ps_tasks=1, ps_strategy=3)
except TypeError as e:
    print(e)
with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device='/cpu:0', ps_device='/cpu:0')):
    z = tf.Variable(3., name='z')
    out = z * 2
with tf.Session() as sess:
    sess.run(z.initializer)
    print(z.device, out.device, sess.run(out))

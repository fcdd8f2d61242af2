import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


# Slices that are assigned to.
v = tf.Variable(np.zeros((3, 2), np.float32), name='v')
r = tf.get_variable('r', [4], use_resource=True, initializer=tf.zeros_initializer())
made = [v[1:].assign([[1, 1], [2, 2]]), v[0, 1].assign(5.0), r[1:3].assign([7.0, 8.0]), v[:, 0].assign([1.0, 2.0, 3.0], name='nm')]
print(made)
s = tf.Session()
s.run(tf.global_variables_initializer())
for each in made:
    print(s.run(each))
print(s.run([v, r]))
attempt(lambda: v[0].assign('x'))
for node in tf.get_default_graph().as_graph_def().node:
    print(node.name, node.op, list(node.input))

# Scopes.
attempt(lambda: tf.get_variable('r', [4]))


def getter(getter, name, *args, **kwargs):
    print('get', name, args, sorted(kwargs))
    return getter(name + '_own', *args, **kwargs)


with tf.variable_scope('own', custom_getter=getter):
    print(tf.get_variable('g', [1]).name)
print(tf.get_variable('read', [2], synchronization=tf.VariableSynchronization.ON_READ).trainable)
print([i.get_config() for i in (tf.constant_initializer(3), tf.glorot_uniform_initializer(seed=5), tf.glorot_normal_initializer(),
                                tf.variance_scaling_initializer(2.0), tf.orthogonal_initializer())])
attempt(lambda: tf.PaddingFIFOQueue(5, tf.int32, shapes=None))
attempt(lambda: tf.nn.dropout(v, 0.5, rate=0.2))

# Slopes that are cut.
e = tf.get_variable('e', [4, 2], initializer=tf.ones_initializer())
with tf.name_scope('cut'):
    rows = tf.gradients(tf.nn.embedding_lookup(e, [1, 1, 3]) * 5.0, e)[0]
    short = tf.clip_by_norm(rows, 1.0)
    several, norm = tf.clip_by_global_norm([rows, None, tf.constant([3.0, 4.0])], 2.0)
print(type(short).__name__, short.dense_shape is rows.dense_shape)
s.run(e.initializer)
print(s.run([short.values, several[0].values, several[2], norm]))
print([op.name for op in tf.get_default_graph().get_operations() if op.name.startswith('cut/clip')])

# TF1
"""Variables in parts: names, nodes, values, updates, and what is refused."""
import numpy as np
import tensorflow as tf


def show_nodes():
    for op in tf.get_default_graph().get_operations():
        controls = sorted(c.name for c in op.control_inputs)
        print(' ', op.name, op.type, [i.name for i in op.inputs], controls)


def both(build):
    for use_resource in (False, True):
        print('==', build.__name__, use_resource)
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            with tf.variable_scope('', use_resource=use_resource):
                build()
            show_nodes()
            print([v.name for v in tf.global_variables()], [v.name for v in tf.trainable_variables()])


def conversion():
    w = tf.get_variable('w', [5, 3], partitioner=tf.fixed_size_partitioner(2))
    print(w.name, w.shape, w.dtype, len(w), [part.name for part in w], w._get_partitions())
    product = tf.matmul(tf.ones([2, 5]), w)
    print(w.as_tensor().name, (tf.constant(1.) + w).shape)
    one = tf.get_variable('one', [3], partitioner=tf.fixed_size_partitioner(1), initializer=tf.ones_initializer())
    print(len(one), one.as_tensor().name)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(np.round(sess.run(product), 4).tolist(), sess.run(one.as_tensor()).tolist())


def created():
    ones = tf.create_partitioned_variables([4, 6], [1, 3], tf.ones_initializer(), name='cp')
    values = tf.create_partitioned_variables([4, 6], [3, 1], tf.constant(np.arange(24.).reshape(4, 6), tf.float32))
    print([v.name for v in ones + values], [v.shape.as_list() for v in ones + values])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print([v.tolist() for v in sess.run(ones + values)])


def assigned():
    w = tf.get_variable('w', [5], partitioner=tf.fixed_size_partitioner(2), initializer=tf.zeros_initializer())
    first, more, less = w.assign(np.arange(5., dtype=np.float32)), w.assign_add(tf.ones([5])), w.assign_sub([[1., 1., 1.], [2., 2.]])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in (first, more, less):
            sess.run(step)
            print(sess.run(w.as_tensor()).tolist())


def initialised():
    fixed = tf.fixed_size_partitioner(2)
    wanted = [
        tf.get_variable('s', [7, 3], partitioner=tf.variable_axis_size_partitioner(30),
                        initializer=tf.variance_scaling_initializer(seed=4)),
        tf.get_variable('i', [4, 4], partitioner=fixed, initializer=tf.initializers.identity()),
        tf.get_variable('u', [4, 4], partitioner=tf.fixed_size_partitioner(2, axis=1),
                        initializer=tf.uniform_unit_scaling_initializer(seed=4)),
        tf.get_variable('n', partitioner=fixed, initializer=tf.constant(np.arange(8.).reshape(4, 2))),
        tf.get_variable('k', [3], tf.int32, partitioner=fixed)]
    print([v.dtype for v in wanted])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for v in wanted:
            print(np.round(sess.run(tf.convert_to_tensor(v)), 4).tolist())


def told(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).split(' Originally')[0])


def get(name, shape, partitioner=None, reuse=None, **rest):
    with tf.variable_scope('q', reuse=reuse, partitioner=partitioner):
        return tf.get_variable(name, shape, **rest).name


for each in (conversion, created, assigned, initialised):
    both(each)

two, three = tf.fixed_size_partitioner(2), tf.fixed_size_partitioner(3)
told(lambda: get('w', [5], two))
told(lambda: get('w', [5], reuse=True))
told(lambda: get('w', [5], two, reuse=tf.AUTO_REUSE))
told(lambda: get('w', [6], reuse=True))
told(lambda: get('w', [5], two))
told(lambda: get('w', [5], three, True))
told(lambda: get('w', [5]))
told(lambda: get('w', [5], two, True, dtype=tf.int32))
told(lambda: get('z', [5], two, True))
told(lambda: get('z', None, two))
told(lambda: get('scalar', [], two))
told(lambda: get('plain', [4]))
told(lambda: get('plain', [4], two))
for bad in (lambda shape, dtype: [2, 2], lambda shape, dtype: [2], lambda shape, dtype: [0, 1], lambda shape, dtype: 3, 5):
    told(lambda: get('bad', [5, 2], bad))
matrix = tf.TensorShape([10, 10])
told(lambda: tf.variable_axis_size_partitioner(0))
told(lambda: tf.variable_axis_size_partitioner(10, max_shards=-1))
told(lambda: tf.variable_axis_size_partitioner(64)(matrix, tf.float32))
told(lambda: tf.variable_axis_size_partitioner(64, max_shards=3)(matrix, tf.float32))
told(lambda: tf.variable_axis_size_partitioner(640)(matrix, tf.string))
told(lambda: tf.variable_axis_size_partitioner(64)([10], tf.string))
told(lambda: tf.min_max_variable_partitioner(4, axis=2)(matrix, tf.float32))
told(lambda: tf.min_max_variable_partitioner(4, axis=1, min_slice_size=100)(matrix, tf.float32))
told(lambda: tf.min_max_variable_partitioner(40)(matrix, tf.float64))
told(lambda: tf.fixed_size_partitioner(20, 1)(matrix))
told(lambda: tf.create_partitioned_variables([4], [1, 2], tf.ones_initializer()))
told(lambda: tf.create_partitioned_variables([], [], tf.ones_initializer()))

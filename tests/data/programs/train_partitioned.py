# TF1
"""Training and saving variables in parts: slots, lookups, checkpoints byte by byte, other cuts of the same values."""
import hashlib
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()


def both(build):
    for use_resource in (False, True):
        print('==', build.__name__, use_resource)
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            with tf.variable_scope('', use_resource=use_resource):
                build(use_resource)
            print([(v.name, v._save_slice_info and v._save_slice_info.spec) for v in tf.global_variables()])


def lookups(_):
    with tf.variable_scope('s', partitioner=tf.min_max_variable_partitioner(3, min_slice_size=8)):
        table = tf.get_variable('emb', [10, 4], initializer=tf.random_uniform_initializer(seed=3))
        bias = tf.get_variable('bias', [], initializer=tf.zeros_initializer())
    ids = tf.placeholder(tf.int64, [2, 2])
    by_mod, by_div = (tf.nn.embedding_lookup(table, ids, partition_strategy=kind) for kind in ('mod', 'div'))
    sparse = tf.SparseTensor([[0, 0], [1, 0], [1, 2]], tf.constant([3, 9, 1], tf.int64), [2, 3])
    summed = tf.nn.embedding_lookup_sparse(table, sparse, None, partition_strategy='div', combiner='sum')
    safe = tf.nn.safe_embedding_lookup_sparse(table, sparse, partition_strategy='div')
    classes = tf.nn.sampled_softmax_loss(table, tf.zeros([10]), tf.constant([[1], [2]]), tf.ones([2, 4]), 3, 10,
                                         partition_strategy='div', seed=5)
    loss = tf.reduce_sum(by_div ** 2) + bias
    adam = tf.train.AdamOptimizer(0.1)
    step = adam.minimize(loss)
    print(adam.get_slot_names(), adam.get_slot(list(table)[1], 'm').name)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feed = {ids: [[0, 9], [3, 4]]}
        for _ in range(2):
            for value in sess.run([by_mod, by_div, summed, safe, classes], feed):
                print(np.round(value, 4).tolist())
            sess.run(step, feed)


def saved(use_resource):
    here = os.path.join(folder, str(use_resource))
    os.mkdir(here)
    w = tf.get_variable('w', [7, 3], partitioner=tf.fixed_size_partitioner(3),
                        initializer=tf.constant(np.arange(21.).reshape(7, 3), tf.float32))
    z = tf.get_variable('z', [3], initializer=tf.ones_initializer())
    step = tf.train.MomentumOptimizer(.25, .9).minimize(tf.reduce_sum(w.as_tensor() ** 2) + tf.reduce_sum(z))
    savers = [tf.train.Saver(), tf.train.Saver({'renamed': w, 'z': z}), tf.train.Saver([w]),
              tf.train.Saver(sharded=True)]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        paths = [saver.save(sess, os.path.join(here, 'm%d' % i), write_meta_graph=False)
                 for i, saver in enumerate(savers)]
        for name in sorted(os.listdir(here)):
            if name != 'checkpoint':
                print(name, hashlib.md5(open(os.path.join(here, name), 'rb').read()).hexdigest())
        before = sess.run(list(w))
        for path, saver in zip(paths, savers):
            sess.run(w.assign(np.zeros([7, 3], np.float32)))
            saver.restore(sess, path)
            print([np.array_equal(a, b) for a, b in zip(before, sess.run(list(w)))])
    print(tf.train.list_variables(paths[0]), tf.train.load_variable(paths[1], 'renamed').tolist())
    message = tf.train.export_meta_graph()
    whole = np.concatenate(before)
    with tf.Graph().as_default(), tf.Session() as sess:
        q = tf.get_variable('w', [7, 3], partitioner=tf.fixed_size_partitioner(2))
        r = tf.get_variable('r', [7, 3])
        tf.train.init_from_checkpoint(paths[0], {'w': 'w'})
        tf.train.init_from_checkpoint(paths[0], {'w': r})
        sess.run(tf.global_variables_initializer())
        print([np.array_equal(sess.run(tf.convert_to_tensor(v)), whole) for v in (q, r)])
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.train.import_meta_graph(message).restore(sess, paths[0])
        print([np.array_equal(a, b) for a, b in zip(before, sess.run(tf.global_variables()[:3]))])
        print([v._save_slice_info and v._save_slice_info.spec for v in tf.global_variables()])
    average = tf.train.ExponentialMovingAverage(.9)
    average.apply(list(w))
    print(sorted(average.variables_to_restore()))


both(lookups)
both(saved)

# TF1
"""Accumulators of gradients: averages, steps, rows, takes that wait, and what is refused."""
import re
import threading

import numpy as np
import tensorflow as tf


def told(function):
    try:
        print(function())
    except Exception as error:
        text = re.search(r"Node: '[^']*'\n(.*?)\n\t? *\[\[", str(error), re.S)
        print(type(error).__name__, text.group(1) if text else str(error).splitlines()[0])


x = tf.placeholder(tf.float32)
with tf.Session() as sess:
    for dtype in (tf.float16, tf.float32, tf.float64):
        for reduction in ('MEAN', 'SUM'):
            every = tf.ConditionalAccumulator(dtype, shape=[2, 3], reduction_type=reduction)
            given = tf.placeholder(dtype, [2, 3])
            add = every.apply_grad(given, 5)
            for number in range(3):
                sess.run(add, {given: np.arange(6).reshape(2, 3) * (number + 1) / 3})
            print(every.name, every.dtype, sess.run(every.num_accumulated()), sess.run(every.take_grad(2)).tolist())
    dense = tf.ConditionalAccumulator(tf.float32, shape=[2], name='dense')
    free = tf.ConditionalAccumulator(tf.float32, name='free')
    part = tf.ConditionalAccumulator(tf.float32, shape=tf.TensorShape([None, 2]), name='part')
    add = dense.apply_grad(x, local_step=0)
    count, take = dense.num_accumulated(), dense.take_grad(1)
    print(count.name, take.shape, part.take_grad(1).shape, free.take_grad(1).shape)
    sess.run(add, {x: [1., 2.]})
    for bad in ([1., 2., 3.], 1.):
        told(lambda: sess.run(add, {x: bad}))
    for bad in (0, -1):
        told(lambda: sess.run(dense.take_grad(bad)))
    print(sess.run(count), sess.run(take).tolist(), sess.run(count))
    sess.run(add, {x: [1., 2.]})  # Of the step before.
    print(sess.run(count))
    sess.run([dense.apply_grad([1., 3.], local_step=1)])
    sess.run(dense.apply_grad([2., 4.], local_step=5))
    print(sess.run(count), sess.run(dense.take_grad(2)).tolist())
    sess.run(dense.set_global_step(7))
    sess.run(dense.apply_grad([2., 4.], local_step=6))
    print(sess.run(count))
    sess.run(dense.set_global_step(3))
    sess.run(dense.apply_grad([2., 4.], local_step=6))
    print(sess.run(count))
    add = free.apply_grad(x, local_step=9)
    sess.run(add, {x: [[1.]]})
    told(lambda: sess.run(add, {x: [1., 2.]}))
    told(lambda: sess.run(free.take_grad(1)).tolist())
    sess.run(add, {x: [1., 2., 3.]})
    told(lambda: sess.run(free.take_grad(1)).tolist())
    add = part.apply_grad(x)
    told(lambda: sess.run(add, {x: [[1.]]}))
    told(lambda: sess.run(add, {x: [[1., 2.]]}))
    told(lambda: sess.run(add, {x: [[1., 2.]] * 2}))
    told(lambda: sess.run(part.num_accumulated()))
    told(lambda: dense.apply_grad([1., 2., 3.]))
    told(lambda: tf.ConditionalAccumulator(tf.float32, reduction_type='X'))
    shared = [tf.ConditionalAccumulator(tf.float32, shape=[2], shared_name='same') for _ in range(2)]
    sess.run(shared[0].apply_grad([1., 2.]))
    print(sess.run(shared[1].take_grad(1)).tolist())

    # Rows.
    places, rows, sizes = tf.placeholder(tf.int64), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
    sparse = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2], name='sparse')
    known, unknown = (sparse.apply_grad(places, rows, shape, local_step=9) for shape in (sizes, None))

    def add_rows(op, at, values, shape=()):
        told(lambda: sess.run(op, {places: at, rows: values, **({sizes: shape} if op is known else {})}))

    def taken(accumulator, number=1):
        told(lambda: [part.tolist() for part in sess.run(accumulator.take_grad(number))])

    add_rows(known, [0, 2], [[1., 2.], [3., 4.]], [4, 2])
    add_rows(known, [1, 2], [[5., 6.], [7., 8.]], [4, 2])
    add_rows(unknown, [0, 1, 2, 3], np.ones([4, 2]))
    told(lambda: sess.run(sparse.num_accumulated()))
    taken(sparse, 2)
    add_rows(known, [0], [[1., 2.]], [4, 3])
    add_rows(known, [0], [[1., 2.]], [4])
    add_rows(known, [4], [[1., 2.]], [4, 2])
    add_rows(unknown, [4], [[1., 2.]])
    add_rows(unknown, [0], [[1., 2., 3.]])
    add_rows(unknown, [0], [1.])
    add_rows(unknown, [0, 1], [[1., 2.]])
    add_rows(unknown, 0, [[1., 2.]])
    add_rows(unknown, [[0]], [[1., 2.]])
    add_rows(unknown, [0], 1.)
    add_rows(unknown, [-1], [[1., 2.]])
    taken(sparse)
    add_rows(unknown, [2, 0], [[1., 2.], [3., 4.]])
    add_rows(unknown, [0, 0], [[1., 2.], [3., 4.]])
    taken(sparse, 2)
    add_rows(unknown, [2], [[1., 1.]])
    add_rows(unknown, [2], [[1., 2., 3.]])
    add_rows(unknown, [2], [1.])
    taken(sparse, 0)
    taken(sparse)
    free = tf.SparseConditionalAccumulator(tf.float32, name='free_rows', reduction_type='SUM')
    add = free.apply_grad(places, rows, local_step=9)
    for at, values in (([3], [[1., 2., 3.]]), ([1, 3], [[1., 2., 3.]] * 2)):
        add_rows(add, at, values)
    taken(free, 2)
    add_rows(add, [], np.zeros([0, 2]))
    taken(free)
    slices = tf.IndexedSlices(tf.constant([[1., 2.]]), tf.constant([3]), tf.constant([5, 2]))
    whole = tf.SparseConditionalAccumulator(tf.float32, shape=tf.TensorShape([None, 2]), name='whole')
    sess.run(whole.apply_indexed_slices_grad(slices))
    found = sess.run(whole.take_indexed_slices_grad(1))
    print(found.values.tolist(), found.indices.tolist(), found.dense_shape.tolist())

    # Takes that wait, and a run that ends and gives one up.
    waited = tf.ConditionalAccumulator(tf.float32, shape=[], name='waited')
    take, add, count = waited.take_grad(2), waited.apply_grad(x, 100), waited.num_accumulated()
    results = []
    for number in range(3):
        thread = threading.Thread(target=lambda: results.append(float(sess.run(take))))
        thread.start()
        for more in range(2):
            sess.run(add, {x: 2 * number + more})
        thread.join()
    print(results, sess.run(count))
    told(lambda: sess.run(take, options=tf.RunOptions(timeout_in_ms=100)))
    sess.run(add, {x: 1.})
    sess.run(add, {x: 2.})
    print(sess.run(take))
    several = [tf.ConditionalAccumulator(tf.float32, shape=[]) for _ in range(20)]
    with tf.control_dependencies([each.apply_grad(float(i)) for i, each in enumerate(several)]):
        adds = tf.no_op()
    total = tf.add_n([each.take_grad(1) for each in several])
    print(sess.run([total, adds])[0])

for op in tf.get_default_graph().get_operations():
    if 'ccumulator' in op.type:
        print(op.name, op.type, [i.name for i in op.inputs], [str(o.shape) for o in op.outputs])

# TF1
"""Arrays in loops of old graphs: the nodes that are made, values, errors, gradients."""
import numpy as np
import tensorflow as tf


def names(graph):
    """Prints the nodes on arrays, with what places them."""
    for op in graph.get_operations():
        if 'TensorArray' in op.type:
            print(op.name, op.type, [i.name for i in op.inputs], op.colocation_groups(), op.device)


with tf.Graph().as_default() as g:
    ta = tf.TensorArray(tf.float32, 3, tensor_array_name='mine', name='a')
    with tf.device('/cpu:0'):
        value = tf.constant([1., 2.])
    ta = ta.write(0, value).write(1, value * 2)
    ta = ta.write(tf.constant(2), [5., 6.])
    ta2 = tf.TensorArray(tf.int32, size=0, dynamic_size=True, clear_after_read=False, infer_shape=False)
    ta2 = ta2.unstack([1, 2, 3]).scatter([5, 4], [7, 8])
    ta3 = tf.TensorArray(tf.float32, 2, infer_shape=False).split([1., 2., 3.], [1, 2])
    print(ta.handle, ta.flow, ta.dtype, ta.element_shape, ta.dynamic_size, ta2.dynamic_size)
    stacked, read, size = ta.stack(), ta2.read(2), ta2.size()
    gathered, joined = ta2.gather([0, 5]), ta3.concat()
    closed = ta.close()
    same = ta2.identity()
    print(stacked, read, size, gathered, joined, closed.name, ta.size(), same.flow)
    names(g)
    with tf.Session() as sess:
        for fetch in (stacked, size, gathered, joined, [stacked, gathered, size], same.gather([1])):
            print(sess.run(fetch))
        print(sess.run(stacked), sess.run(closed))

with tf.Graph().as_default() as g:
    n = tf.placeholder(tf.int32, [])
    out = tf.TensorArray(tf.float32, size=n)
    x = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[2])

    def body(i, total, out, x):
        inner = tf.TensorArray(tf.float32, size=3)
        _, inner = tf.while_loop(lambda j, a: j < 3, lambda j, a: (j + 1, a.write(j, tf.cast(i * j, tf.float32))), (0, inner))
        rows = inner.stack()
        x = tf.cond(tf.equal(i % 2, 0), lambda: x.write(i, [total, total]), lambda: x)
        return i + 1, total + tf.reduce_sum(rows), out.write(i, total), x

    _, total, out, x = tf.while_loop(lambda i, *_: i < n, body, (0, 0., out, x))
    all_out, all_x, size = out.stack(), x.stack(), x.size()
    print(all_out.shape, all_x.shape, total.shape)
    with tf.Session() as sess:
        print(sess.run([total, all_out, all_x, size], {n: 5}))
        print(sess.run([total, all_out, size], {n: 1}))
        for feed in (0, -1):
            try:
                print(sess.run(all_out, {n: feed}))
            except tf.errors.OpError as error:
                print(type(error).__name__, error.message.split('\n')[0][:60])

with tf.Graph().as_default() as g:
    v = tf.get_variable('v', initializer=1.)
    elems = tf.placeholder(tf.float32, [None, 2])
    a = tf.map_fn(lambda row: row * v, elems)
    b = tf.scan(lambda acc, row: acc + row, elems, reverse=True)
    c = tf.foldr(lambda acc, row: acc * 2 + row, elems, initializer=tf.zeros([2]))
    d, e = tf.map_fn(lambda p: (p[0] + p[1], tf.cast(p[1], tf.int32)), (elems, elems * 3), dtype=(tf.float32, tf.int32))
    print(a.shape, b.shape, c.shape, d.shape, e.dtype, a.name, b.name, c.name, d.name)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for value in sess.run([a, b, c, d, e], {elems: [[1, 2], [3, 4], [5, 6]]}):
            print(value)
        print(sess.run([a, c, d], {elems: np.zeros((0, 2))}))

with tf.Graph().as_default() as g:
    ta = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack([[1., 2.], [3., 4.]])
    grads = ta.grad('gradients')
    with tf.control_dependencies([ta.read(0)]):
        grads = grads.write(0, [10., 20.]).write(0, [.5, .5])
    print(grads.handle.name, grads.flow.name)
    with tf.Session() as sess:
        print(sess.run([grads.read(0), grads.read(1)]))
for make in (lambda: tf.TensorArray(tf.float32), lambda: tf.TensorArray(tf.float32, 2, handle=tf.constant(1)),
             lambda: tf.TensorArray(tf.float32, handle='h'), lambda: tf.TensorArray(tf.float32, handle=tf.constant(1)),
             lambda: tf.TensorArray(tf.float32, 2).write(0, [1.]).write(1, [1., 2.]),
             lambda: tf.TensorArray(tf.float32, 2, element_shape=[2]).unstack([[1.]]),
             lambda: tf.map_fn(lambda x: x, 1), lambda: tf.map_fn(lambda x: x, []),
             lambda: tf.map_fn(lambda x: (x, x), [1, 2])):
    try:
        print(make())
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error)[:200])

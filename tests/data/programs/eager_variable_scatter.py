import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


def slices(values, indices):
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices))


v = tf.Variable([1.0, 2.0, 3.0, 4.0])
print(v.scatter_update(slices([10.0, 30.0], [0, 2])))
print(v.scatter_add(slices([1.0, 1.0], [1, 1])).numpy())
print(v.scatter_sub(slices([5.0], [3])).numpy())
print(v.scatter_mul(slices([2.0], [0])).numpy())
print(v.scatter_div(slices([2.0], [0])).numpy())
print(v.scatter_max(slices([100.0, 0.0], [0, 1])).numpy())
print(v.scatter_min(slices([-100.0], [2])).numpy())
m = tf.Variable([[1, 2], [3, 4], [5, 6]])
print(m.scatter_update(slices([[9, 9]], [1])).numpy())
print(m.scatter_nd_update([[0, 1], [2, 0]], [20, 50]).numpy())
print(m.scatter_nd_add([[0], [0]], [[1, 1], [1, 1]]).numpy())
print(m.scatter_nd_sub([[2, 1]], [1]).numpy())
print(m.sparse_read([2, 0]).numpy())
print(m.gather_nd([[0, 1], [1, 1]]).numpy())
print(m.batch_scatter_update(slices([[[7]], ], [[0]])) if False else "skipped")
attempt(lambda: v.scatter_update([1]))
attempt(lambda: v.scatter_update(slices([1.0], [7])))
attempt(lambda: v.scatter_add(slices([1.0, 2.0], [0])))
attempt(lambda: m.scatter_nd_update([[5, 0]], [1]))
attempt(lambda: v.sparse_read([9]))
print(tf.gather(v, [1, 2]), tf.nn.embedding_lookup(m, [2, 2]))

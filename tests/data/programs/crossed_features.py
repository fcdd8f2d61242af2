"""Combinations of what rows hold, and sparse counts: tf.sparse.cross, tf.ragged.cross, tf.sparse.bincount."""
import numpy as np
import tensorflow as tf

random = np.random.RandomState(7)


def show(name, value):
    if isinstance(value, tf.SparseTensor):
        print(name, value.indices.numpy().tolist(), value.values.numpy().tolist(), value.dense_shape.numpy().tolist(),
              value.dtype.name)
    elif isinstance(value, tf.RaggedTensor):
        print(name, value.to_list(), value.row_splits.dtype.name, value.dtype.name)
    else:
        print(name, value.numpy().tolist(), value.dtype.name)


def sparse(rows, columns, text):
    there = random.rand(rows, columns) < 0.6
    places = np.argwhere(there)
    numbers = random.randint(-9, 99, len(places))
    values = [f't{n}' for n in numbers] if text else numbers.astype('int32')
    return tf.SparseTensor(places.astype('int64').reshape(-1, 2), tf.constant(values, tf.string if text else tf.int32),
                           [rows, columns])


def ragged(rows, text, splits):
    lengths = random.randint(0, 4, rows)
    numbers = random.randint(-9, 99, lengths.sum())
    values = tf.constant([f'r{n}' for n in numbers], tf.string) if text else tf.constant(numbers, tf.int64)
    return tf.RaggedTensor.from_row_lengths(values, tf.constant(lengths, splits))


for turn in range(6):
    rows = int(random.randint(1, 5))
    a, b = sparse(rows, 3, True), sparse(rows, 2, turn % 2 == 0)
    c = tf.constant(random.randint(0, 9, (rows, 2)))
    show(f'cross {turn}', tf.sparse.cross([a, b]))
    show(f'cross all {turn}', tf.sparse.cross([a, c, b], separator='-'))
    show(f'hashed {turn}', tf.sparse.cross_hashed([a, b]))
    show(f'hashed all {turn}', tf.sparse.cross_hashed([a, b, c], num_buckets=1000, hash_key=turn))
    splits = tf.int32 if turn % 3 else tf.int64
    d, e = ragged(rows, True, splits), ragged(rows, False, splits)
    show(f'ragged {turn}', tf.ragged.cross([d, e]))
    show(f'ragged order {turn}', tf.ragged.cross([e, d]))
    show(f'ragged hashed {turn}', tf.ragged.cross_hashed([d, e], num_buckets=50))
    if splits == tf.int64:
        show(f'ragged all {turn}', tf.ragged.cross_hashed([d, a, c, e]))

for turn in range(4):
    values = random.randint(0, 6, (3, 4)).astype('int64')
    weights = random.randint(1, 9, (3, 4)).astype('float32')
    for axis in (0, -1):
        show(f'count {turn} {axis}', tf.sparse.bincount(values, axis=axis))
        show(f'count weights {turn} {axis}', tf.sparse.bincount(values, weights, axis=axis))
        show(f'count binary {turn} {axis}', tf.sparse.bincount(values, axis=axis, binary_output=True, minlength=9))
        show(f'count most {turn} {axis}', tf.sparse.bincount(values, axis=axis, maxlength=4))
    s = tf.sparse.from_dense(values)
    w = tf.SparseTensor(s.indices, tf.cast(s.values, tf.float32) / 2, s.dense_shape)
    for axis in (0, -1):
        show(f'sparse count {turn} {axis}', tf.sparse.bincount(s, axis=axis))
        show(f'sparse count weights {turn} {axis}', tf.sparse.bincount(s, w, axis=axis))

for text, call in (('list', lambda: tf.sparse.cross(a)), ('kind', lambda: tf.sparse.cross([[1]])),
                   ('hashed kind', lambda: tf.sparse.cross_hashed([[1]])), ('ragged list', lambda: tf.ragged.cross(d)),
                   ('float', lambda: tf.ragged.cross([tf.constant([[1.5]])])),
                   ('rows', lambda: tf.sparse.cross([sparse(2, 2, True), sparse(3, 2, True)])),
                   ('both', lambda: tf.sparse.bincount(values, weights, binary_output=True)),
                   ('axis', lambda: tf.sparse.bincount(values, axis=1)),
                   ('weights', lambda: tf.sparse.bincount(s, weights, axis=-1)),
                   ('below zero', lambda: tf.sparse.bincount([-1])),
                   ('stack', lambda: tf.parallel_stack([1, 2]))):
    try:
        print(text, call())
    except Exception as error:  # pylint: disable=broad-except
        print(text, type(error).__name__, str(error).splitlines()[0])

with tf.Graph().as_default():
    x = tf.compat.v1.placeholder_with_default([[1., 2.], [3., 4.]], [2, 2])
    y = tf.parallel_stack([x, x + 1, tf.guarantee_const(x * 2)])
    print(y.name, y.op.type, y.shape)
    with tf.compat.v1.Session() as session:
        print(session.run(y).tolist())
    patches = tf.extract_volume_patches(tf.reshape(tf.range(27.), [1, 3, 3, 3, 1]), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'VALID')
    print(patches.shape)
    with tf.compat.v1.Session() as session:
        print(session.run(patches)[0, 1, 1].tolist())

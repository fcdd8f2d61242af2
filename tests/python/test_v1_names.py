"""test_v1_names.py - Names of TF1 beside TensorFlow's results: loss scales, with_space_to_batch, group_by_reducer."""

from __future__ import annotations

from script import run


def test_loss_scale() -> None:
    """Slopes come back as they were; a scale grows after good steps, and shrinks where a step is left out."""
    run("""
import numpy as np
import berth as tf
e = tf.train.experimental
assert e.FixedLossScale is tf.mixed_precision.FixedLossScale is tf.mixed_precision.experimental.FixedLossScale
x = tf.get_variable('x', initializer=np.float32([1, 2]))
by = tf.placeholder(tf.float32, [])
rows = tf.gather(x, [1]) * by
step = tf.train.get_or_create_global_step()
fixed = e.MixedPrecisionLossScaleOptimizer(tf.train.GradientDescentOptimizer(1.), 128)
pairs = fixed.compute_gradients(tf.reduce_sum(x * by), [x])
assert pairs[0][1] is x and isinstance(fixed.compute_gradients(tf.reduce_sum(rows))[0][0], tf.IndexedSlices)
scale = e.DynamicLossScale(8, increment_period=2, multiplier=4.)
assert repr(scale) == 'DynamicLossScale(initial_loss_scale=8.0, increment_period=2, multiplier=4.0)'
assert scale.get_config() == {'initial_loss_scale': 8., 'increment_period': 2, 'multiplier': 4.}
moving = e.MixedPrecisionLossScaleOptimizer(tf.train.MomentumOptimizer(1., .5), scale)
train = moving.minimize(tf.reduce_sum(x * by), global_step=step)
names = [v.op.name for v in tf.global_variables()]
assert names == ['x', 'global_step', 'current_loss_scale', 'good_steps', 'x/Momentum'], names
assert [v.op.name for v in moving.variables()] == ['x/Momentum', 'current_loss_scale', 'good_steps']
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert session.run(pairs[0][0], {by: 3.}).tolist() == [3, 3]
    found = []
    for factor in (1., np.inf, 1., 1., 1., np.nan):
        session.run(train, {by: factor})
        found.append((*session.run([scale(), tf.global_variables()[3], step]), session.run(x).tolist()))
    # Scales, good steps, steps that were taken; x goes down by 1, 1.5, 1.75, 1.875 with the momentum.
    assert [row[:3] for row in found] == [(8, 1, 1), (2, 0, 1), (2, 1, 2), (8, 0, 3), (8, 1, 4), (2, 0, 4)], found
    assert [row[3][0] for row in found] == [0, 0, -1.5, -3.25, -5.125, -5.125], found
for wrong, text in ((lambda: e.FixedLossScale('a'), 'must be a Python int or float'),
                    (lambda: e.FixedLossScale(.5), 'must be at least 1'),
                    (lambda: e.MixedPrecisionLossScaleOptimizer(3, 1), '"opt" must be an instance of Optimizer'),
                    (lambda: e.MixedPrecisionLossScaleOptimizer(tf.train.AdamOptimizer(), None), 'cannot be None')):
    try: wrong()
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
try: e.enable_mixed_precision_graph_rewrite(tf.train.AdamOptimizer())
except NotImplementedError as error: assert 'does not rewrite graphs' in str(error)
else: raise AssertionError
""")


def test_space_to_batch() -> None:
    """An op on every n-th place is the op with holes in its window, whatever is known of shapes."""
    run("""
import numpy as np
import berth as tf
values = np.random.RandomState(0).rand(2, 7, 9, 3).astype(np.float32)
x, w = tf.constant(values), tf.constant(np.random.RandomState(1).rand(3, 2, 3, 4).astype(np.float32))
fed, rates = tf.placeholder(tf.float32, [2, None, None, 3]), tf.placeholder(tf.int32, [2])
def conv(x, count, padding):
    assert count == 2
    return tf.nn.conv2d(x, w, [1, 1, 1, 1], padding)
holes = tf.nn.with_space_to_batch
with tf.Session() as session:
    for padding in ('SAME', 'VALID'):
        for rate in ([1, 1], [2, 3]):
            expected = session.run(tf.nn.convolution(x, w, padding, dilation_rate=rate))
            shape = w.shape if padding == 'SAME' else None
            for given in (x, fed):
                for by in (rate, rates):
                    found = session.run(holes(given, by, padding, conv, shape), {fed: values, rates: rate})
                    assert found.shape == expected.shape and np.allclose(found, expected, atol=1e-5), (padding, rate)
    def line(x, count, padding):
        assert count == 1 and padding == 'VALID'
        return x[:, :, :-1] + x[:, :, 1:]
    found = session.run(holes(x, [2], 'VALID', line, spatial_dims=[2]))
    assert np.allclose(found, values[:, :, :-2] + values[:, :, 2:]), found.shape
    paddings, crops = tf.required_space_to_batch_paddings([7, 9], [2, 4], [[1, 0], [0, 2]])
    assert [v.tolist() for v in session.run([paddings, crops])] == [[[1, 0], [0, 3]], [[0, 0], [0, 1]]]
for call, text in ((lambda: holes(x, [0, 1], 'SAME', conv), '`dilation_rate` must be positive'),
                   (lambda: holes(x, [2, 2], 'SAME', conv), '`filter_shape` must be specified'),
                   (lambda: holes(x, [2, 2], 'OTHER', conv), "must be one of 'SAME' or 'VALID'"),
                   (lambda: holes(x, [2, 2], 'SAME', conv, spatial_dims=[2, 1]), 'monotonically increasing')):
    try: call()
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
""")


def test_reducer() -> None:
    """All elements of a key become one, in the order of keys."""
    run("""
import berth as tf
e = tf.data.experimental
mean = e.Reducer(lambda key: (tf.constant(0.), tf.constant(0.)),
                 lambda state, x: (state[0] + tf.cast(x, tf.float32), state[1] + 1), lambda total, count: total / count)
pairs = tf.data.Dataset.from_tensor_slices(([5, 1, 5, -2], [1, 2, 3, 4]))
joined = e.Reducer(lambda key: key, lambda state, element: state * 10 + tf.cast(element[1], tf.int64), lambda n: {'n': n})
def all_of(dataset):
    step, found = dataset.make_one_shot_iterator().get_next(), []
    with tf.Session() as session:
        try:
            while True: found.append(session.run(step))
        except tf.errors.OutOfRangeError: return found
assert all_of(tf.data.Dataset.range(10).apply(e.group_by_reducer(lambda x: x % 3, mean))) == [4.5, 4., 5.]
assert all_of(pairs.apply(e.group_by_reducer(lambda key, x: tf.cast(key, tf.int64), joined))) == [
    {'n': -16}, {'n': 12}, {'n': 513}]
""")

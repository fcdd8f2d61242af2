"""Datasets from end to end: a pipeline in eager code, in a session and in threads."""

import gc

import numpy as np
import pytest

import berth as tf


def values(dataset):
    return [x.numpy().tolist() for x in dataset]


def test_pipeline_in_tensorflows_order():
    dataset = tf.data.Dataset.range(10).map(lambda x: x * 2).shuffle(4, seed=1).batch(3)
    # Recorded from TensorFlow 2.21: two iterations of one dataset.
    assert values(dataset) == [[0, 8, 10], [2, 4, 14], [18, 16, 12], [6]]
    assert values(dataset) == [[4, 2, 6], [8, 12, 16], [14, 18, 10], [0]]


def test_repr_and_spec():
    dataset = tf.data.Dataset.range(3).batch(2, drop_remainder=True)
    assert repr(dataset) == '<_BatchDataset element_spec=TensorSpec(shape=(2,), dtype=tf.int64, name=None)>'
    assert len(dataset) == 1


def test_structures():
    dataset = tf.data.Dataset.from_tensor_slices(({'a': [1, 2], 'b': [3., 4.]}, ['x', 'y']))
    element = next(iter(dataset.map(lambda d, s: (d['b'], {'s': s, 'a': d['a'] + 1}))))
    assert element[0].numpy() == 3. and element[1]['s'].numpy() == b'x' and element[1]['a'].numpy() == 2


def test_variable_in_a_function():
    v = tf.Variable(10, dtype=tf.int64)
    dataset = tf.data.Dataset.range(3).map(lambda x: x + v)
    assert values(dataset) == [10, 11, 12]
    v.assign(20)
    assert values(dataset) == [20, 21, 22]


@pytest.mark.parametrize('threads', [1, 2, 7, tf.data.AUTOTUNE])
def test_parallel_map_keeps_the_order(threads):
    dataset = tf.data.Dataset.range(1000).map(lambda x: x * x, num_parallel_calls=threads).prefetch(3)
    assert values(dataset) == [i * i for i in range(1000)]


def test_errors_of_functions_come_in_their_place():
    dataset = tf.data.Dataset.range(6).map(lambda x: 12 // (x - 2), num_parallel_calls=2)
    found = iter(dataset)
    assert [next(found).numpy() for _ in range(2)] == [-6, -12]
    with pytest.raises(tf.errors.InvalidArgumentError, match='division by zero'):
        next(found)
    assert [x.numpy() for x in found] == [12, 6, 4]


def test_an_iterator_dropped_midway():
    for _ in range(20):
        found = iter(tf.data.Dataset.range(10**9).map(lambda x: x + 1, num_parallel_calls=3).batch(10).prefetch(2))
        next(found)
        del found
    gc.collect()


def test_random_functions_begin_anew_with_each_iterator():
    dataset = tf.data.Dataset.range(2).map(lambda _: tf.random.uniform([], seed=3)).repeat(2)
    first, second = values(dataset), values(dataset)
    assert first == second and len(set(first)) == 4


def test_functions_in_functions():
    dataset = tf.data.Dataset.range(1, 4).flat_map(lambda n: tf.data.Dataset.range(n).map(lambda i: i * 10 + n))
    assert values(dataset) == [1, 2, 12, 3, 13, 23]


def test_session():
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensor_slices(np.arange(5, dtype=np.float32)).map(lambda x: x + 1).batch(2)
        iterator = tf.compat.v1.data.make_one_shot_iterator(dataset)
        element = iterator.get_next()
        with tf.compat.v1.Session() as session:
            assert [session.run(element).tolist() for _ in range(3)] == [[1, 2], [3, 4], [5]]
            with pytest.raises(tf.errors.OutOfRangeError, match='End of sequence'):
                session.run(element)


def test_cache_in_a_file(tmp_path):
    name, calls = str(tmp_path / 'cache'), []

    def count(x):
        calls.append(int(x))
        return x * 2

    def make():
        dataset = tf.data.Dataset.range(3).map(lambda x: (tf.numpy_function(count, [x], tf.int64), tf.as_string(x)))
        return dataset.cache(name)

    expected = [(0, b'0'), (2, b'1'), (4, b'2')]
    for _ in range(2):
        assert [(a.numpy(), b.numpy()) for a, b in make()] == expected
    assert calls == [0, 1, 2]
    next(iter(make()))
    (tmp_path / 'cache.index').write_text('something else')
    with pytest.raises(tf.errors.InvalidArgumentError, match="is no cache of Berth's"):
        list(make())


def test_a_cache_that_was_not_finished_is_none(tmp_path):
    dataset = tf.data.Dataset.range(5).cache(str(tmp_path / 'cache'))
    next(iter(dataset))
    assert not list(tmp_path.iterdir())
    assert values(dataset) == [0, 1, 2, 3, 4]
    assert sorted(p.name for p in tmp_path.iterdir()) == ['cache.data-00000-of-00001', 'cache.index']

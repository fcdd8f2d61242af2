"""Datasets in TF1's graphs, and in functions of TF2; values and texts were recorded from TensorFlow 2.21."""

import pytest

import berth as tf

tf1 = tf.compat.v1
Dataset = tf1.data.Dataset


def drain(session, tensor):
    found = []
    while True:
        try:
            found.append(session.run(tensor).tolist())
        except tf.errors.OutOfRangeError:
            return found


def test_reinitializable():
    with tf.Graph().as_default(), tf1.Session() as session:
        train, test = Dataset.range(4).map(lambda x: x + 10), Dataset.range(2)
        iterator = tf1.data.Iterator.from_structure(tf1.data.get_output_types(train), tf1.data.get_output_shapes(train))
        element = iterator.get_next()
        first, second = iterator.make_initializer(train), iterator.make_initializer(test, name='second')
        assert second.name == 'second'
        with pytest.raises(tf.errors.FailedPreconditionError, match='the iterator has not been initialized'):
            session.run(element)
        for initializer, expected in ((first, [10, 11, 12, 13]), (second, [0, 1]), (first, [10, 11, 12, 13])):
            session.run(initializer)
            assert drain(session, element) == expected
        with pytest.raises(TypeError, match='Expected output types'):
            iterator.make_initializer(Dataset.from_tensors(1.0))


def test_feedable():
    with tf.Graph().as_default(), tf1.Session() as session:
        handle = tf1.placeholder(tf.string, [])
        element = tf1.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
        one = tf1.data.make_one_shot_iterator(Dataset.range(5, 9))
        two = tf1.data.make_initializable_iterator(Dataset.range(3))
        texts = session.run([one.string_handle(), two.string_handle()])
        session.run(two.initializer)
        assert [session.run(element, {handle: texts[i]}) for i in (0, 1, 0, 1)] == [5, 0, 6, 1]


def test_placeholders_and_variables():
    with tf.Graph().as_default(), tf1.Session() as session:
        count = tf1.placeholder(tf.int64, [])
        variable = tf1.Variable(5, dtype=tf.int64, use_resource=True)
        dataset = Dataset.range(count).map(lambda x: x + variable)
        iterator = tf1.data.make_initializable_iterator(dataset)
        element = iterator.get_next()
        session.run(variable.initializer)
        for n in (3, 2):
            session.run(iterator.initializer, {count: n})
            assert drain(session, element) == [5 + i for i in range(n)]
        with pytest.raises(ValueError, match=r'Cannot capture a (placeholder|stateful node) \(name:'):
            tf1.data.make_one_shot_iterator(dataset)


def test_seeds_of_a_graph():
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.set_random_seed(42)
        element = tf1.data.make_one_shot_iterator(Dataset.range(8).shuffle(4).repeat(2)).get_next()
        again = tf1.data.make_one_shot_iterator(
            Dataset.range(8).shuffle(4, reshuffle_each_iteration=False).repeat(2)).get_next()
        first, second = drain(session, element), drain(session, again)
        assert sorted(first) == sorted(2 * list(range(8))) and first[:8] != first[8:]
        assert second == 2 * [2, 3, 4, 0, 1, 7, 5, 6]


def test_nodes():
    with tf.Graph().as_default() as graph:
        dataset = Dataset.range(10).map(lambda x: x * 2).batch(3).prefetch(1)
        tf1.data.make_one_shot_iterator(dataset).get_next()
        names = [op.name for op in graph.get_operations()]
        assert names == ['start', 'stop', 'step', 'RangeDataset', 'MapDataset', 'batch_size', 'drop_remainder',
                         'BatchDatasetV2', 'buffer_size', 'PrefetchDataset', 'OneShotIterator', 'IteratorToStringHandle',
                         'IteratorGetNext']
        library = graph.as_graph_def().library.function
        assert [f.signature.name.startswith(('__inference_Dataset_map_', '_make_dataset_')) for f in library] == [True, True]


def test_loops_in_functions():
    @tf.function
    def total(limit):
        found = tf.constant(0, tf.int64)
        for a, b in tf.data.Dataset.zip((tf.data.Dataset.range(9).map(lambda x: x * 2), tf.data.Dataset.range(7))):
            if a > limit:
                break
            if b == 1:
                continue
            found += a * 10 + b
        return found

    assert total(tf.constant(6, tf.int64)).numpy() == 105
    assert total(tf.constant(100, tf.int64)).numpy() == 420


def test_iterators_and_variables_in_functions():
    variable = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def add(dataset):
        for x in dataset:
            variable.assign_add(x)

    @tf.function
    def take(iterator):
        return next(iterator)

    add(tf.data.Dataset.range(4))
    assert variable.numpy() == 6
    iterator = iter(tf.data.Dataset.range(3))
    assert [take(iterator).numpy() for _ in range(2)] == [0, 1]

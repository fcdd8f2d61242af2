"""test_data_files.py - Datasets in files, where iterators are, and the options that are obeyed."""

from __future__ import annotations

import base64
import gzip
import os

import pytest
import script

import berth as tf

D = tf.data.Dataset
# The files of Dataset.from_tensor_slices({'a': [1, 2, 3], 'b': ['x', 'y', 'z']}).save(path) in TensorFlow 2.21.
SPEC = base64.b64decode('qgMcCgwKAWISB4oCBBIAGAcKDAoBYRIHigIEEgAYAw==')
METADATA = b'\x12\x047777\x18\x8f\xde\xbb\x95\xc1\x91\x98\x03 \x02*\x02\x03\x070\x03\xc0>\x01'
RECORDS = base64.b64decode(  # Two of the three elements.
    'CgAAAAAAAACuo786CAMSACIEAQAAAJR+ZDAIAAAAAAAAAP+GJA8IBxIAIgIBeEj6rnEKAAAAAAAAAK6jvzoIAxIAIgQCAAAA0UIW'
    'QggAAAAAAAAA/4YkDwgHEgAiAgF5f9auaw==')


def elements(dataset):
    return [tf.nest.map_structure(lambda x: x.tolist() if hasattr(x, 'tolist') else x, e)
            for e in dataset.as_numpy_iterator()]


def test_what_tensorflow_saved(tmp_path):
    folder = tmp_path / '7777' / '00000000.shard'
    folder.mkdir(parents=True)
    (tmp_path / 'dataset_spec.pb').write_bytes(SPEC)
    (tmp_path / 'snapshot.metadata').write_bytes(METADATA)
    (folder / '00000000.snapshot').write_bytes(RECORDS)
    found = D.load(str(tmp_path))
    assert found.element_spec == {'a': tf.TensorSpec([], tf.int32), 'b': tf.TensorSpec([], tf.string)}
    assert elements(found) == [{'a': 1, 'b': b'x'}, {'a': 2, 'b': b'y'}]
    (folder / '00000000.snapshot').write_bytes(gzip.compress(RECORDS))
    assert elements(D.load(str(tmp_path), compression='GZIP')) == [{'a': 1, 'b': b'x'}, {'a': 2, 'b': b'y'}]


@pytest.mark.parametrize('compression', [None, 'GZIP'])
def test_what_is_saved_is_loaded(tmp_path, compression):
    made = D.range(5).map(lambda x: (x, {'m': tf.cast(x, tf.float32) * [[1., 2.]], 's': tf.strings.as_string(x)}))
    made.save(str(tmp_path), compression=compression)
    found = D.load(str(tmp_path), compression=compression)
    assert found.element_spec == made.element_spec
    assert elements(found) == elements(made)
    (run,) = [name for name in os.listdir(tmp_path) if name.isdigit()]
    assert sorted(os.listdir(tmp_path)) == sorted([run, 'dataset_spec.pb', 'snapshot.metadata'])
    assert os.listdir(tmp_path / run / '00000000.shard') == ['00000000.snapshot']


def test_what_is_not_there(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        D.load(str(tmp_path / 'nowhere'))
    with pytest.raises(NotImplementedError, match='SNAPPY'):
        D.range(3).save(str(tmp_path), compression='SNAPPY')
    with pytest.raises(NotImplementedError, match='SparseTensor'):
        D.from_tensors(tf.sparse.from_dense([1, 0])).save(str(tmp_path))
    with pytest.raises(NotImplementedError, match='sqlite3|SQL|databases'):
        tf.data.experimental.SqlDataset('sqlite', 'x', 'q', (tf.int32,))


def test_snapshots_are_made_once(tmp_path):
    calls = []

    def make(x):
        calls.append(int(x))
        return x * 2

    made = D.range(4).map(lambda x: tf.py_function(make, [x], tf.int64)).snapshot(str(tmp_path))
    assert elements(made) == elements(made) == [0, 2, 4, 6]
    assert calls == [0, 1, 2, 3]


def test_records_of_a_dataset(tmp_path):
    path = str(tmp_path / 'file')
    tf.data.experimental.TFRecordWriter(path).write(D.from_tensor_slices(['a', 'bc', '']))
    assert elements(tf.data.TFRecordDataset(path)) == [b'a', b'bc', b'']
    with pytest.raises(TypeError, match='scalar `DT_STRING`'):
        tf.data.experimental.TFRecordWriter(path).write(D.range(3))


def pipelines():
    return {
        'shuffled': D.range(50).shuffle(10).repeat(),
        'shuffled once': D.range(50).shuffle(10, seed=3, reshuffle_each_iteration=False).batch(7).prefetch(2).repeat(),
        'woven': D.range(40).interleave(lambda x: D.range(x).shuffle(3, seed=1), 3, num_parallel_calls=2),
        'random': D.random(),
        'mapped': D.range(500).map(lambda x: x * 3, num_parallel_calls=3).filter(lambda x: x % 2 == 0),
    }


@pytest.mark.parametrize('name', list(pipelines()))
def test_iterators_go_back(tmp_path, name):
    dataset = pipelines()[name]
    iterator = iter(dataset)
    for _ in range(33):
        next(iterator)
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    path = checkpoint.save(str(tmp_path / 'x'))
    after = [next(iterator).numpy().tolist() for _ in range(25)]
    checkpoint.restore(path).assert_consumed()
    assert [next(iterator).numpy().tolist() for _ in range(25)] == after
    other = iter(dataset)
    tf.train.Checkpoint(iterator=other).restore(path)
    assert [next(other).numpy().tolist() for _ in range(25)] == after


def test_savers_have_iterators(tmp_path):
    from script import run

    run(f"""
import berth.compat.v1 as tf
tf.disable_v2_behavior()
iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(30).shuffle(5))
taken = iterator.get_next()
tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator))
saver = tf.train.Saver()
with tf.Session() as session:
    session.run(iterator.initializer)
    for _ in range(11):
        session.run(taken)
    path = saver.save(session, {str(tmp_path / 'm')!r})
    after = [session.run(taken) for _ in range(19)]
with tf.Session() as session:
    session.run(iterator.initializer)
    saver.restore(session, path)
    assert [session.run(taken) for _ in range(19)] == after
""")


def test_threads_are_as_many_as_are_allowed():
    import threading
    import time

    seen = set()

    def who(x):
        seen.add(threading.get_ident())
        time.sleep(0.002)
        return x

    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    made = D.range(60).map(lambda x: tf.py_function(who, [x], tf.int64), num_parallel_calls=8).with_options(options)
    assert made.options().threading.private_threadpool_size == 2
    assert sorted(elements(made)) == list(range(60))
    assert 1 <= len(seen) <= 2


def test_order_may_be_any():
    import time

    def slow(x):
        def wait(y):
            time.sleep(0.03 if int(y) == 0 else 0)
            return y
        return D.range(4).map(lambda y: tf.py_function(wait, [x * 10 + y], tf.int64))

    options = tf.data.Options()
    options.deterministic = False
    woven = D.range(4).interleave(slow, 2, num_parallel_calls=2)
    expected = [0, 10, 1, 11, 2, 12, 3, 13, 20, 30, 21, 31, 22, 32, 23, 33]
    assert elements(woven) == expected
    assert sorted(elements(woven.with_options(options))) == sorted(expected)


def test_threads_end_with_their_iterator():
    import threading

    before = threading.active_count()
    for count in range(20):
        iterator = iter(D.range(1000).interleave(lambda x: D.range(x), 8, num_parallel_calls=4).prefetch(2))
        for _ in range(count):
            next(iterator)
        del iterator
    assert threading.active_count() == before
    with open('/proc/self/status', encoding='ascii') as file:
        (threads,) = [int(line.split()[1]) for line in file if line.startswith('Threads:')]
    assert threads < 40


def test_a_program_may_end_meanwhile():
    from script import run

    run("""
import berth as tf
D = tf.data.Dataset
iterator = iter(D.range(10**9).interleave(lambda x: D.range(10**9), 4, num_parallel_calls=4).prefetch(3))
assert int(next(iterator)) == 0
""", mode='2')


def test_iterators_are_dropped_while_python_makes_elements():
    """Threads of an iterator that are in Python, or about to be, do not keep whoever drops it waiting."""
    done = script.run("""
        import faulthandler
        import berth as tf

        def numbers():
            for number in range(10 ** 9):
                for _ in range(20000):
                    pass
                yield number

        faulthandler.dump_traceback_later(60, exit=True)
        for _ in range(10):
            dataset = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec((), tf.int64)).prefetch(4)
            iterator = iter(dataset)
            assert int(next(iterator)) == 0
            del iterator
        last = iter(dataset)
        next(last)
        print('dropped')
    """, mode='2')
    assert done == 'dropped\n'

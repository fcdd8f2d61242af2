"""test_data_tables.py - Lookup tables of what datasets give."""

from __future__ import annotations

import numpy as np
import pytest

import berth as tf

tf1 = tf.compat.v1
Dataset = tf.data.Dataset
experimental = tf.data.experimental


def pairs(count: int = 100) -> Dataset:
    """Returns a dataset of numbers and of twice these, as texts."""
    return Dataset.zip((Dataset.range(count), Dataset.range(count).map(lambda x: tf.strings.as_string(x * 2))))


def words(*texts: str) -> Dataset:
    return Dataset.from_tensor_slices(list(texts))


def test_initializer() -> None:
    """A table has all pairs, and the default for others."""
    table = tf.lookup.StaticHashTable(experimental.DatasetInitializer(pairs()), 'n/a')
    assert table.lookup(tf.constant([0, 51, 99, 100], tf.int64)).numpy().tolist() == [b'0', b'102', b'198', b'n/a']
    assert table.size().numpy() == 100


def test_table_from_dataset() -> None:
    """Of pairs, with buckets for others, and of a size that is checked."""
    table = experimental.table_from_dataset(pairs(), default_value='n/a', key_dtype=tf.int64)
    assert table.lookup(tf.constant([3, 1000], tf.int64)).numpy().tolist() == [b'6', b'n/a']
    table = experimental.index_table_from_dataset(words('a', 'b', 'c'), num_oov_buckets=2)
    found = table.lookup(tf.constant(['c', 'a', 'x'])).numpy()
    assert found[:2].tolist() == [2, 0] and found[2] in (3, 4)
    table = experimental.index_table_from_dataset(words('a', 'b', 'c'), vocab_size=2)
    assert table.lookup(tf.constant(['b', 'c'])).numpy().tolist() == [1, -1]
    with pytest.raises(tf.errors.FailedPreconditionError, match='Input dataset was expected to contain 9 elements'):
        experimental.index_table_from_dataset(words('a', 'b'), vocab_size=9)


def test_graph() -> None:
    """A graph fills the table with its others."""
    with tf.Graph().as_default(), tf1.Session() as session:
        table = experimental.index_table_from_dataset(tf1.data.Dataset.from_tensor_slices(['x', 'y', 'z']))
        found = table.lookup(tf.constant(['y', 'w']))
        session.run(tf1.tables_initializer())
        assert session.run(found).tolist() == [1, -1]
        session.run(tf1.tables_initializer())  # It stays what it is.
        assert session.run(found).tolist() == [1, -1]


@pytest.mark.parametrize('seed', [0, 1])
def test_any_pairs(seed: int) -> None:
    """Numbers of other types, many of them, some twice with the same value."""
    random = np.random.RandomState(seed)  # pylint: disable=no-member
    keys = random.randint(0, 5000, 3000)
    values = (keys * 3 % 1009).astype('f4')
    table = experimental.table_from_dataset(Dataset.from_tensor_slices((keys, values)), key_dtype=tf.int64)
    asked = random.randint(0, 6000, 500)
    known = set(keys.tolist())
    wanted = [float(np.float32(k * 3 % 1009)) if k in known else -1.0 for k in asked.tolist()]
    assert table.lookup(tf.constant(asked)).numpy().tolist() == wanted


def test_mistakes() -> None:
    """What is no pair, of other types, or has two values for a key."""
    with pytest.raises(ValueError, match=r'3 components instead of two \(key, value\)'):
        experimental.DatasetInitializer(Dataset.zip((Dataset.range(2), Dataset.range(2), Dataset.range(2))))
    with pytest.raises(ValueError, match='non-scalar key Tensors of rank 1'):
        experimental.DatasetInitializer(Dataset.zip((Dataset.range(4).batch(2), Dataset.range(2))))
    with pytest.raises(ValueError, match='must be specified when creating a table from a dataset that produces'):
        experimental.table_from_dataset(pairs(), key_dtype=tf.int64)
    for options, kind in (({'num_oov_buckets': -1}, ValueError), ({'vocab_size': 0}, ValueError),
                          ({'key_dtype': tf.float32}, TypeError)):
        with pytest.raises(kind):
            experimental.index_table_from_dataset(words('a'), **options)
    twice = Dataset.from_tensor_slices(([1, 1], [2, 3]))
    with pytest.raises(tf.errors.FailedPreconditionError, match='HashTable has different value for same key. Key 1 has 2'):
        tf.lookup.StaticHashTable(experimental.DatasetInitializer(twice), 0)
    with pytest.raises(tf.errors.OutOfRangeError, match='end of iterator'):
        tf.lookup.StaticHashTable(experimental.DatasetInitializer(twice.take(0)), 0)
    handle = tf.raw_ops.AnonymousHashTable(key_dtype=tf.string, value_dtype=tf.int64)
    with pytest.raises(tf.errors.InvalidArgumentError, match='pairs of int32 and int32, the table keys of string'):
        tf.raw_ops.InitializeTableFromDataset(table_handle=handle, dataset=twice._variant_tensor)
    rows = Dataset.from_tensor_slices((np.zeros((2, 2), 'i8'), [2, 3]))
    handle = tf.raw_ops.AnonymousHashTable(key_dtype=tf.int64, value_dtype=tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match='pairs of scalars'):
        tf.raw_ops.InitializeTableFromDataset(table_handle=handle, dataset=rows._variant_tensor)

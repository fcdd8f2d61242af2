"""test_nest.py - tf.nest with values of several tensors, as TensorFlow has them."""

from __future__ import annotations

import berth as tf


def test_composites_are_packed() -> None:
    """With expand_composites such a value is made of its parts again."""
    ragged, sparse = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.sparse.from_dense([[1.0, 0.0]])
    rows = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))
    whole = {'a': [ragged, 1], 'b': sparse, 'c': rows}
    parts = tf.nest.flatten(whole, expand_composites=True)
    assert len(parts) == 8
    packed = tf.nest.pack_sequence_as(whole, [parts[0] * 2.0, *parts[1:]], expand_composites=True)
    assert packed['a'][0].to_list() == [[2.0, 4.0], [6.0]]
    assert packed['b'].values.numpy().tolist() == [1.0] and packed['c'].values.numpy().tolist() == [[1.0]]
    alone = tf.nest.pack_sequence_as(ragged, [ragged.values, ragged.row_splits], expand_composites=True)
    assert alone.to_list() == [[1.0, 2.0], [3.0]]
    assert tf.nest.pack_sequence_as(whole, [1, 2, 3, 4])['b'] == 3


def test_composites_are_mapped() -> None:
    """A function is given the parts, not the whole, where that is asked for."""
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    doubled = tf.nest.map_structure(lambda part: part * 2 if part.dtype == tf.float32 else part, [ragged],
                                    expand_composites=True)
    assert doubled[0].to_list() == [[2.0, 4.0], [6.0]]

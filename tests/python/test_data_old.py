"""test_data_old.py - Datasets that older programs and other front ends make; values were recorded from TensorFlow 2.21."""

from __future__ import annotations

import time
from typing import Any

import berth as tf
import pytest

tf1, raw = tf.compat.v1, tf.raw_ops
ONE = {'output_types': [tf.int64], 'output_shapes': [[]]}
MANY = {'output_types': [tf.int64], 'output_shapes': [[None]]}


def variant(dataset: Any) -> Any:
    return tf.data.experimental.to_variant(dataset)


def number(value: int) -> Any:
    return tf.constant(value, tf.int64)


def elements(made: Any, shape: Any = ()) -> list[Any]:
    return [x.numpy().tolist() for x in tf.data.experimental.from_variant(made, tf.TensorSpec(shape, tf.int64))]


def threes() -> Any:
    return variant(tf.data.Dataset.range(9).batch(4))


def test_rebatch_parts() -> None:
    made = raw.RebatchDataset(input_dataset=threes(), num_replicas=number(2), **MANY)
    assert elements(made, [None]) == [[0, 1], [2, 3], [4, 5], [6, 7], [8], []]


@pytest.mark.parametrize('sizes, drops, wanted', [
    ([3, 1], False, [[0, 1, 2], [3], [4, 5, 6], [7], [8]]),
    ([3, 1, 2], True, [[0, 1, 2], [3], [4, 5], [6, 7, 8]]),
    ([20], False, [[0, 1, 2, 3, 4, 5, 6, 7, 8]]),
    ([20], True, []),
])
def test_rebatch_sizes(sizes: list[int], drops: bool, wanted: Any) -> None:
    made = raw.RebatchDatasetV2(input_dataset=threes(), batch_sizes=number(sizes), drop_remainder=drops, **MANY)
    assert elements(made, [None]) == wanted
    assert elements(made, [None]) == wanted


def test_rebatch_refuses() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match='num_replicas must be greater than zero'):
        raw.RebatchDataset(input_dataset=threes(), num_replicas=number(0), **MANY)
    for sizes, text in (([], 'Batch size must be specified'), ([1, 0], 'Batch size must be greater than zero')):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            raw.RebatchDatasetV2(input_dataset=threes(), batch_sizes=number(sizes), drop_remainder=True, **MANY)
    scalars = variant(tf.data.Dataset.range(3))
    with pytest.raises(tf.errors.InvalidArgumentError, match='Perhaps your input dataset is not batched. Component 0 is scalar'):
        elements(raw.RebatchDataset(input_dataset=scalars, num_replicas=number(2), **MANY), [None])


@pytest.mark.parametrize('size, shift, stride, drops, wanted', [
    (3, 1, 1, True, [[0, 1, 2], [1, 2, 3], [2, 3, 4]]),
    (2, 2, 2, True, [[0, 2], [2, 4]]),
    (3, 2, 1, False, [[0, 1, 2], [2, 3, 4], [4]]),
    (9, 1, 1, True, []),
])
def test_sliding_windows(size: int, shift: int, stride: int, drops: bool, wanted: Any) -> None:
    made = raw.SlidingWindowDataset(
        input_dataset=variant(tf.data.Dataset.range(5)), window_size=number(size), window_shift=number(shift),
        window_stride=number(stride), drop_remainder=drops, **MANY)
    assert elements(made, [None]) == wanted


def test_sampling() -> None:
    made = raw.SamplingDataset(input_dataset=variant(tf.data.Dataset.range(20)), rate=tf.constant(0.5), seed=number(1),
                               seed2=number(2), **ONE)
    for _ in range(2):
        assert elements(made) == [0, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 17]


def test_hands_on() -> None:
    five = variant(tf.data.Dataset.range(5))
    assert elements(raw.LatencyStatsDataset(input_dataset=five, tag='x', **ONE)) == [0, 1, 2, 3, 4]
    assert elements(raw.SleepDataset(input_dataset=five, sleep_microseconds=number(2), **ONE)) == [0, 1, 2, 3, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match='sleep_microseconds'):
        raw.SleepDataset(input_dataset=five, sleep_microseconds=number(-1), **ONE)


def test_sleep_ends_with_the_run() -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        made = raw.SleepDataset(input_dataset=variant(tf.data.Dataset.range(3)), sleep_microseconds=number(2 * 10 ** 6), **ONE)
        spec = tf.TensorSpec([], tf.int64)
        iterator = tf1.data.make_initializable_iterator(tf.data.experimental.from_variant(made, spec))
        element = iterator.get_next()
        session.run(iterator.initializer)
        begin = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element, options=tf1.RunOptions(timeout_in_ms=100))
        assert time.monotonic() - begin < 1.5


def test_ragged_rows() -> None:
    """Exported models have ragged elements as variants."""
    rows = raw.RaggedTensorToVariant(rt_nested_splits=[number([0, 2, 2, 3])], rt_dense_values=tf.constant([1, 2, 3]),
                                     batched_input=True)
    kind = {'output_types': [tf.variant], 'output_shapes': [[None]]}
    batches = raw.BatchDatasetV2(input_dataset=raw.TensorSliceDataset(components=[rows], output_shapes=[[]]),
                                 batch_size=number(2), drop_remainder=False, **kind)
    iterator = raw.AnonymousIteratorV3(**kind)
    raw.MakeIterator(dataset=batches, iterator=iterator)
    for wanted in ([[0, 2, 2], [1, 2]], [[0, 1], [3]]):
        batch, = raw.IteratorGetNext(iterator=iterator, **kind)
        found = raw.RaggedTensorFromVariant(encoded_ragged=batch, input_ragged_rank=0, output_ragged_rank=1,
                                            Tvalues=tf.int32, Tsplits=tf.int64)
        assert [x.numpy().tolist() for x in tf.nest.flatten(list(found))] == wanted


# ---- With functions: graphs of today, with the nodes of older ones ----


def run_changed(dataset: Any, change: Any) -> list[Any]:
    """Goes through |dataset| after |change| has been at the nodes of its graph, by op."""
    with tf.Graph().as_default() as graph:
        iterator = tf1.data.make_initializable_iterator(dataset())
        initializer, element = iterator.initializer.name, iterator.get_next().name
        definition = graph.as_graph_def()
    nodes = {node.op: node for node in definition.node}
    constant = definition.node.add(name='sloppy', op='Const')
    constant.attr['dtype'].type = tf.bool.as_datatype_enum
    constant.attr['value'].tensor.CopyFrom(tf.make_tensor_proto(False))
    change(nodes)
    with tf.Graph().as_default(), tf1.Session() as session:
        tf.import_graph_def(definition, name='')
        session.run(initializer)
        found = []
        while True:
            try:
                found.append(session.run(element).tolist())
            except tf.errors.OutOfRangeError:
                return found


@pytest.mark.parametrize('name', ['MapAndBatchDataset', 'ExperimentalMapAndBatchDataset'])
@pytest.mark.parametrize('drops, last', [(True, []), (False, [[40]])])
def test_map_and_batch(name: str, drops: bool, last: list[Any]) -> None:
    def mapped() -> Any:
        factor = tf.constant(10, tf.int64)
        return tf.data.Dataset.range(5).map(lambda x: x * factor, num_parallel_calls=2).batch(2, drops)

    def change(nodes: Any) -> None:
        inner, outer = nodes['ParallelMapDatasetV2'], nodes['BatchDatasetV2']
        size, drop = outer.input[1:]
        outer.op = name
        outer.input[:] = [*inner.input[:2], size, inner.input[2], drop]
        del outer.attr['parallel_copy']
        if name.startswith('Exp'):
            del outer.attr['metadata']
        for label in ('f', 'Targuments'):
            outer.attr[label].CopyFrom(inner.attr[label])

    assert run_changed(mapped, change) == [[0, 10], [20, 30], *last]


def test_parallel_filter() -> None:
    def change(nodes: Any) -> None:
        node = nodes['FilterDataset']
        node.op = 'ParallelFilterDataset'
        node.input.append(nodes['ParallelMapDatasetV2'].input[-1])

    assert run_changed(lambda: tf.data.Dataset.range(5).map(lambda x: x * 10, num_parallel_calls=2).filter(
        lambda x: x < 25), change) == [0, 10, 20]


@pytest.mark.parametrize('name', ['ParallelInterleaveDataset', 'ExperimentalParallelInterleaveDataset',
                                  'LegacyParallelInterleaveDatasetV2'])
def test_parallel_interleave(name: str) -> None:
    def change(nodes: Any) -> None:
        node = nodes['ParallelInterleaveDatasetV4']
        node.op = name
        source, cycle, block = node.input[:3]
        node.input[:] = [source, cycle, block, *(() if 'Legacy' in name else ('sloppy',)), cycle, block]
        if 'Legacy' not in name:
            del node.attr['deterministic']
        if name.startswith('Exp'):
            del node.attr['metadata']

    assert run_changed(lambda: tf.data.Dataset.range(3).interleave(
        lambda x: tf.data.Dataset.range(x, x + 3), cycle_length=2, block_length=1, num_parallel_calls=2,
        deterministic=True), change) == [0, 1, 1, 2, 2, 3, 2, 3, 4]

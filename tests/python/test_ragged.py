"""test_ragged.py - Ragged tensors: shapes, parts, joining, reductions, and what is said of those that do not fit."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Reads expressions, a line each, and prints what they give.
SHOW = '''
import berth as tf
import sys
r = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
f = tf.cast(r, tf.float32)
n = tf.ragged.constant([[[1., 2.]], [[3.], [4., 6.]]])
t = tf.ragged.constant([['a', 'b'], ['c']])
def once(function):
    return tf.function(function, autograph=False)(r)
D = tf.data.Dataset
table = tf.Variable(tf.eye(6))
def rows(dataset):
    return [str(dataset.element_spec), *dataset]
def tangent(function):
    @tf.function(autograph=False)
    def slope(x):
        with tf.GradientTape() as tape:
            y = function(x)
        return tf.convert_to_tensor(tape.gradient(y, table))
    return slope(r)
def shown(value):
    if isinstance(value, dict):
        return {k: shown(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    if isinstance(value, tf.RaggedTensor):
        return f'{value.dtype.name} {value.shape} {value.to_list()}'
    if isinstance(value, tf.Tensor):
        value = value.numpy()
        return f'{value.dtype} {value.tolist()}' if hasattr(value, 'tolist') else repr(value)
    return str(value)
for line in sys.stdin.read().splitlines():
    try:
        print(shown(eval(line)))
    except Exception as error:
        print(type(error).__name__, str(error).replace('\\n', '|'))
'''

# What TensorFlow 2.21 printed for the same.
RECORDED = {
    'r[:, :1]': 'int32 (3, None) [[1], [], [3]]',
    'r[:, -1:]': 'int32 (3, None) [[2], [], [5]]',
    'r[:, ::2]': 'int32 (3, None) [[1], [], [3, 5]]',
    'r[..., 1:]': 'int32 (3, None) [[2], [], [4, 5]]',
    'r[:, tf.newaxis]': 'int32 (3, 1, None) [[[1, 2]], [[]], [[3, 4, 5]]]',
    'r[tf.newaxis]': 'int32 (1, 3, None) [[[1, 2], [], [3, 4, 5]]]',
    'tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)[..., 0]': 'int32 (2, None) [[1], [3, 5]]',
    'r[:, 0]': 'ValueError Cannot index into an inner ragged dimension.',
    "r['a']": (
        'TypeError Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.'
        "int64 tensors are valid indices, got 'a'"),
    'bool(r)': 'TypeError RaggedTensor may not be used as a boolean.',
    'tf.linalg.inv(f)': "ValueError TypeError: object of type 'RaggedTensor' has no len()|",
    'r.merge_dims(0, 1)': 'int32 [1, 2, 3, 4, 5]',
    'n.merge_dims(1, 2)': 'float32 (2, None) [[1.0, 2.0], [3.0, 4.0, 6.0]]',
    'n.merge_dims(0, -1)': 'float32 [1.0, 2.0, 3.0, 4.0, 6.0]',
    'n.merge_dims(1, 0)': 'ValueError Expected outer_axis (1) to be less than or equal to inner_axis (0).',
    'tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)': 'int32 (2, 2) [[1, 2], [3, 4]]',
    'tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)[:, 1]': 'int32 [2, 4]',
    'tf.RaggedTensor.from_uniform_row_length([1, 2, 3], 2)': (
        'ValueError uniform_row_length=2 times nrows=1 must equal nvals=3'),
    'tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]])': (
        'int32 (2, None, None) [[[1, 2]], [[3]]]'),
    "tf.ragged.stack_dynamic_partitions(['a', 'b', 'c', 'd'], [2, 0, 2, 1], 3)": (
        "string (3, None) [[b'b'], [b'd'], [b'a', b'c']]"),
    'tf.ragged.stack([r, r], axis=1)': 'int32 (3, None, None) [[[1, 2], [1, 2]], [[], []], [[3, 4, 5], [3, 4, 5]]]',
    'tf.stack([r, r], 2)': 'int32 (3, None, 2) [[[1, 1], [2, 2]], [], [[3, 3], [4, 4], [5, 5]]]',
    'tf.concat([r, r], 1)': 'int32 (3, None) [[1, 2, 1, 2], [], [3, 4, 5, 3, 4, 5]]',
    'tf.concat([n, n], 2)': 'float32 (2, None, None) [[[1.0, 2.0, 1.0, 2.0]], [[3.0, 3.0], [4.0, 6.0, 4.0, 6.0]]]',
    'tf.concat([n, tf.ragged.constant([[[7., 7.]], [[8.]]])], 1)': (
        'float32 (2, None, None) [[[1.0, 2.0], [7.0, 7.0]], [[3.0], [4.0, 6.0], [8.0]]]'),
    'tf.concat([r, tf.ragged.constant([[1]])], 1)': (
        'InvalidArgumentError Input tensors at index 0 (=x) and 1 (=y) have incompatible shapes.|Condition x '
        '== y did not hold.|First 1 elements of x:|[3]|First 1 elements of y:|[1]'),
    'tf.concat([r, r], 2)': 'ValueError axis=2 out of bounds: expected -2<=axis<2',
    'tf.split(r, [1, 2])': "['int32 (1, None) [[1, 2]]', 'int32 (2, None) [[], [3, 4, 5]]']",
    'tf.split(r, 2)': (
        'InvalidArgumentError Cannot exactly split the `axis` dimension of `value` with the given `num_or_siz'
        'e_split`.|Condition x == y did not hold.|First 1 elements of x:|[3]|First 1 elements of y:|[2]'),
    'tf.expand_dims(r, 0)': 'int32 (1, 3, None) [[[1, 2], [], [3, 4, 5]]]',
    'tf.expand_dims(r, 1)': 'int32 (3, 1, None) [[[1, 2]], [[]], [[3, 4, 5]]]',
    'tf.expand_dims(r, -1)': 'int32 (3, None, 1) [[[1], [2]], [], [[3], [4], [5]]]',
    'tf.squeeze(tf.expand_dims(r, 1), 1)': 'int32 (3, None) [[1, 2], [], [3, 4, 5]]',
    'tf.reverse(r, [1])': 'int32 (3, None) [[2, 1], [], [5, 4, 3]]',
    'tf.reverse(r, [0, 1])': 'int32 (3, None) [[5, 4, 3], [], [2, 1]]',
    'tf.gather(r, [2, 0])': 'int32 (2, None) [[3, 4, 5], [1, 2]]',
    'tf.gather(r, [[0, 1], [2, 0]])': 'int32 (2, None, None) [[[1, 2], []], [[3, 4, 5], [1, 2]]]',
    'tf.gather(r, tf.ragged.constant([[0], [1, 2]]))': 'int32 (2, None, None) [[[1, 2]], [[], [3, 4, 5]]]',
    'tf.gather_nd(r, [[2, 1], [0, 0]])': 'int32 [4, 1]',
    'tf.nn.embedding_lookup(tf.eye(6), r)': (
        'float32 (3, None, 6) [[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], [], [[0.0, 0'
        '.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]]'),
    'tf.nn.embedding_lookup(tf.Variable(tf.eye(6)), r)': (
        'float32 (3, None, 6) [[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], [], [[0.0, 0'
        '.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]]'),
    'tf.one_hot(r, 3)': (
        'float32 (3, None, 3) [[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.'
        '0, 0.0, 0.0]]]'),
    'tf.where(r > 2)': 'int64 [[2, 0], [2, 1], [2, 2]]',
    'tf.dynamic_partition(r, [0, 1, 0], 2)': "['int32 (2, None) [[1, 2], [3, 4, 5]]', 'int32 (1, None) [[]]']",
    'tf.tile(r, [2, 1])': 'int32 (6, None) [[1, 2], [], [3, 4, 5], [1, 2], [], [3, 4, 5]]',
    'tf.tile(n, [1, 1, 2])': 'float32 (2, None, None) [[[1.0, 2.0, 1.0, 2.0]], [[3.0, 3.0], [4.0, 6.0, 4.0, 6.0]]]',
    'tf.add_n([r, r])': 'int32 (3, None) [[2, 4], [], [6, 8, 10]]',
    'tf.ones_like(r)': 'int32 (3, None) [[1, 1], [], [1, 1, 1]]',
    'tf.clip_by_value(r, 2, 4)': 'int32 (3, None) [[2, 2], [], [3, 4, 4]]',
    'tf.bitcast(f, tf.int32)': 'int32 (3, None) [[1065353216, 1073741824], [], [1077936128, 1082130432, 1084227584]]',
    'tf.nn.softmax(f)': (
        'float32 (3, None) [[0.2689414322376251, 0.7310585975646973], [], [0.09003057330846786, 0.24472847580'
        '90973, 0.6652409434318542]]'),
    'tf.reduce_sum(r, [0, 1])': 'int32 15',
    'tf.reduce_sum(r, axis=-1, keepdims=True)': 'int32 [[3], [0], [12]]',
    'tf.reduce_mean(n, axis=[1, 2])': 'float32 [1.5, 4.333333492279053]',
    'tf.reduce_sum(n, axis=1)': 'float32 (2, None) [[1.0, 2.0], [7.0, 6.0]]',
    'tf.reduce_max(n, axis=0)': 'float32 (2, None) [[3.0, 2.0], [4.0, 6.0]]',
    'tf.reduce_mean(n, axis=1)': 'float32 (2, None) [[1.0, 2.0], [3.5, 6.0]]',
    'tf.math.reduce_variance(f, 1)': 'float32 [0.25, nan, 0.6666660308837891]',
    'tf.math.unsorted_segment_sum(r, [0, 1, 0], 2)': 'int32 (2, None) [[4, 6, 5], []]',
    "tf.strings.reduce_join(t, axis=-1, separator='-')": "object [b'a-b', b'c']",
    'tf.strings.reduce_join(t, axis=0)': "object [b'ac', b'b']",
    'tf.strings.reduce_join(t)': "b'abc'",
    'tf.matmul(tf.ragged.constant([[[1., 2.]], [[3., 4.], [5., 6.]]], ragged_rank=1), tf.ones([2, 2, 3]))': (
        'float32 (2, None, 3) [[[3.0, 3.0, 3.0]], [[7.0, 7.0, 7.0], [11.0, 11.0, 11.0]]]'),
    'r * tf.constant([[1], [2], [3]])': 'int32 (3, None) [[1, 2], [], [9, 12, 15]]',
    'r + tf.constant([[1], [2]])': (
        'InvalidArgumentError Condition x == y did not hold.|First 1 elements of x:|[False]|First 1 elements '
        'of y:|[ True]'),
    'r + tf.constant([[1, 2]])': (
        'InvalidArgumentError Condition x == y did not hold.|Indices of first 2 different values:|[[2]| [3]]|'
        'Corresponding x values:|[4 6]|Corresponding y values:|[2 5]|First 3 elements of x:|[0 2 4]|First 3 e'
        'lements of y:|[0 2 2]'),
    'r + tf.ragged.constant([[1], [2], [3]])': (
        'InvalidArgumentError Condition x == y did not hold.|Indices of first 2 different values:|[[1]| [3]]|'
        'Corresponding x values:|[2 5]|Corresponding y values:|[1 3]|First 3 elements of x:|[0 2 2]|First 3 e'
        'lements of y:|[0 1 2]'),
    'r + tf.ragged.constant([[1], [2]])': (
        'InvalidArgumentError Condition x == y did not hold.|First 1 elements of x:|[False]|First 1 elements '
        'of y:|[ True]'),
    'r + r.with_row_splits_dtype(tf.int32)': (
        'ValueError Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_d'
        'type() to convert them to compatible dtypes.'),
    'tf.ragged.constant([[1, 2], [3, 4]]) + tf.constant([[1, 2], [3, 4]])': 'int32 (2, None) [[2, 4], [6, 8]]',
    'f / tf.reduce_sum(f, 1, keepdims=True)': (
        'float32 (3, None) [[0.3333333432674408, 0.6666666865348816], [], [0.25, 0.3333333432674408, 0.416666'
        '6567325592]]'),
    'once(lambda x: tf.concat([x, x], 1))': 'int32 (3, None) [[1, 2, 1, 2], [], [3, 4, 5, 3, 4, 5]]',
    'once(lambda x: tf.reverse(x, [1]))': 'int32 (3, None) [[2, 1], [], [5, 4, 3]]',
    'once(lambda x: x[:, :1])': 'int32 (3, None) [[1], [], [3]]',
    'once(lambda x: x[:, ::2])': 'int32 (3, None) [[1], [], [3, 5]]',
    'once(lambda x: tf.gather(x, [2, 0]))': 'int32 (2, None) [[3, 4, 5], [1, 2]]',
    'once(lambda x: tf.squeeze(tf.expand_dims(x, 1), 1))': 'int32 (3, None) [[1, 2], [], [3, 4, 5]]',
    'once(lambda x: tf.tile(x, [1, 2]))': 'int32 (3, None) [[1, 2, 1, 2], [], [3, 4, 5, 3, 4, 5]]',
    'once(lambda x: tf.nn.softmax(tf.cast(x, tf.float32)))': (
        'float32 (3, None) [[0.2689414322376251, 0.7310585975646973], [], [0.09003057330846786, 0.24472847580'
        '90973, 0.6652409434318542]]'),
    'once(lambda x: x * tf.constant([[1], [2], [3]]))': 'int32 (3, None) [[1, 2], [], [9, 12, 15]]',
    'once(lambda x: tf.nn.embedding_lookup(table, x).shape.as_list() == [3, None, 6] and x)': (
        'int32 (3, None) [[1, 2], [], [3, 4, 5]]'),
    'tangent(lambda x: tf.reduce_sum(tf.nn.embedding_lookup(table, x) ** 2))': (
        'float32 [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0, 0.0, 0'
        '.0], [0.0, 0.0, 0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 2.0]]'),
    'rows(D.from_tensor_slices(r))': (
        "['RaggedTensorSpec(TensorShape([None]), tf.int32, 0, tf.int64)', 'int32 [1, 2]', 'int32 []', 'int32 "
        "[3, 4, 5]']"),
    'rows(D.from_tensor_slices(n))': (
        "['RaggedTensorSpec(TensorShape([None, None]), tf.float32, 1, tf.int64)', 'float32 (1, None) [[1.0, 2"
        ".0]]', 'float32 (2, None) [[3.0], [4.0, 6.0]]']"),
    'rows(D.from_tensor_slices(r).batch(2))': (
        "['RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)', 'int32 (2, None) [[1, 2], []]"
        "', 'int32 (1, None) [[3, 4, 5]]']"),
    'rows(D.from_tensor_slices(n).batch(2, drop_remainder=True))': (
        "['RaggedTensorSpec(TensorShape([2, None, None]), tf.float32, 2, tf.int64)', 'float32 (2, None, None)"
        " [[[1.0, 2.0]], [[3.0], [4.0, 6.0]]]']"),
    'rows(D.from_tensor_slices((r, [1, 2, 3])).map(lambda x, y: (x * y, y)))': (
        "['(TensorSpec(shape=(None,), dtype=tf.int32, name=None), TensorSpec(shape=(), dtype=tf.int32, name=N"
        "one))', ['int32 [1, 2]', 'int32 1'], ['int32 []', 'int32 2'], ['int32 [9, 12, 15]', 'int32 3']]"),
    "rows(D.from_tensor_slices({'a': r, 'b': [1, 2, 3]}).batch(2))": (
        '["{\'a\': RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64), \'b\': TensorSpec(shape=(N'
        'one,), dtype=tf.int32, name=None)}", {\'a\': \'int32 (2, None) [[1, 2], []]\', \'b\': \'int32 [1, 2]\'}, {\'a'
        "': 'int32 (1, None) [[3, 4, 5]]', 'b': 'int32 [3]'}]"),
    'rows(D.from_tensor_slices((r, [1, 2])))': 'ValueError Dimensions 3 and 2 are not compatible',
    'rows(D.from_tensors(r).repeat(2).unbatch().batch(4))': (
        "['RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)', 'int32 (4, None) [[1, 2], [],"
        " [3, 4, 5], [1, 2]]', 'int32 (2, None) [[], [3, 4, 5]]']"),
    'rows(D.from_tensors(n).unbatch())': (
        "['RaggedTensorSpec(TensorShape([None, None]), tf.float32, 1, tf.int64)', 'float32 (1, None) [[1.0, 2"
        ".0]]', 'float32 (2, None) [[3.0], [4.0, 6.0]]']"),
    "rows(D.from_tensor_slices(['a b', 'c', 'd e f']).batch(2).map(tf.strings.split).batch(2))": (
        '[\'RaggedTensorSpec(TensorShape([None, None, None]), tf.string, 2, tf.int64)\', "string (2, None, None'
        ') [[[b\'a\', b\'b\'], [b\'c\']], [[b\'d\', b\'e\', b\'f\']]]"]'),
    "rows(D.from_tensor_slices(['a b', 'c', 'd e f']).batch(2).map(tf.strings.split).unbatch())": (
        '[\'RaggedTensorSpec(TensorShape([None]), tf.string, 0, tf.int64)\', "object [b\'a\', b\'b\']", "object [b\''
        'c\']", "object [b\'d\', b\'e\', b\'f\']"]'),
    'rows(D.from_tensor_slices(r).filter(lambda x: tf.size(x) > 0).padded_batch(2))': (
        'TypeError `padded_batch` is only supported for datasets that produce tensor elements but type spec o'
        'f elements in the input dataset is not a subclass of TensorSpec: `RaggedTensorSpec(TensorShape([None'
        ']), tf.int32, 0, tf.int64)`.'),
    'rows(D.from_tensor_slices(r).map(lambda x: x).padded_batch(3))': (
        "['TensorSpec(shape=(None, None), dtype=tf.int32, name=None)', 'int32 [[1, 2, 0], [0, 0, 0], [3, 4, 5"
        "]]']"),
    'rows(D.from_tensor_slices(r).window(2).flat_map(lambda w: w.batch(2)))': (
        "['RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)', 'int32 (2, None) [[1, 2], []]"
        "', 'int32 (1, None) [[3, 4, 5]]']"),
    'rows(D.from_tensor_slices(r).concatenate(D.from_tensor_slices(r[:1])))': (
        "['RaggedTensorSpec(TensorShape([None]), tf.int32, 0, tf.int64)', 'int32 [1, 2]', 'int32 []', 'int32 "
        "[3, 4, 5]', 'int32 [1, 2]']"),
    'rows(D.from_tensor_slices(tf.sparse.from_dense([[1, 0]])).concatenate(D.from_tensor_slices(tf.sparse.from_dense([[3, 4]]))).map(tf.sparse.to_dense))': (
        "['TensorSpec(shape=(2,), dtype=tf.int32, name=None)', 'int32 [1, 0]', 'int32 [3, 4]']"),
    'rows(D.from_tensor_slices(r).bucket_by_sequence_length(lambda x: tf.size(x), [2], [2, 2]))': (
        'TypeError `padded_batch` is only supported for datasets that produce tensor elements but type spec o'
        'f elements in the input dataset is not a subclass of TensorSpec: `RaggedTensorSpec(TensorShape([None'
        ']), tf.int32, 0, tf.int64)`.'),
    'rows(D.from_generator(lambda: iter([r, r[:2]]), output_signature=tf.RaggedTensorSpec([None, None], tf.int32)))': (
        "['RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)', 'int32 (3, None) [[1, 2], [],"
        " [3, 4, 5]]', 'int32 (2, None) [[1, 2], []]']"),
    'rows(D.from_tensors(tf.RaggedTensor.from_row_splits([1, 2], [0, 1, 2])).repeat(2).batch(2))': (
        "['RaggedTensorSpec(TensorShape([None, 2, None]), tf.int32, 2, tf.int64)', 'int32 (2, 2, None) [[[1],"
        " [2]], [[1], [2]]]']"),
    'rows(D.from_tensor_slices(tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)).batch(2))': (
        "['RaggedTensorSpec(TensorShape([None, None, 2]), tf.int32, 1, tf.int64)', 'int32 (2, None, 2) [[[1, "
        "2]], [[3, 4], [5, 6]]]']"),
    'D.from_tensor_slices(r).reduce(0, lambda s, x: s + tf.reduce_sum(x))': 'int32 15',
    '[a.tolist() for a in D.from_tensors(r).as_numpy_iterator()]': "[['[1 2]', '[]', '[3 4 5]']]",
    'len(D.from_tensor_slices(r))': '3',
    'D.from_tensor_slices(r).element_spec.is_compatible_with(tf.constant([1]))': 'True',
}


@pytest.fixture(scope='module', name='found')
def _found() -> dict[str, str]:
    done = subprocess.run([sys.executable, '-c', SHOW], input='\n'.join(RECORDED), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(RECORDED, done.stdout.splitlines()))


@pytest.mark.parametrize('case', RECORDED)
def test_as_tensorflow(found: dict[str, str], case: str) -> None:
    assert found[case] == RECORDED[case]

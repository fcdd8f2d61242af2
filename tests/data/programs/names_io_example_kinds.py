import tensorflow as tf


def example(**features):
    lists = {}
    for key, values in features.items():
        if values and isinstance(values[0], bytes):
            lists[key] = tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        elif values and isinstance(values[0], float):
            lists[key] = tf.train.Feature(float_list=tf.train.FloatList(value=values))
        else:
            lists[key] = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Example(features=tf.train.Features(feature=lists)).SerializeToString()


records = [example(v=[1., 2., 3.], at=[4, 0, 2], to=[1, 1, 0], splits=[0, 2, 3], lengths=[2, 1], ids=[0, 0, 1],
                   starts=[0, 2], limits=[2, 3], n=[7]),
           example(v=[4., 5.], at=[1, 3], to=[0, 2], splits=[0, 0, 2], lengths=[0, 2], ids=[1, 1], starts=[0, 0],
                   limits=[0, 2]),
           example(splits=[0])]
R = tf.io.RaggedFeature


def show(found):
    for key in sorted(found):
        print(key, found[key])


rows = {'n': tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-1),
        'v': tf.io.FixedLenSequenceFeature([1], tf.float32, allow_missing=True)}
show(tf.io.parse_example(records, rows))
show(tf.io.parse_single_example(records[0], rows))
sparse = {'s': tf.io.SparseFeature('at', 'v', tf.float32, 6),
          'm': tf.io.SparseFeature(['at', 'to'], 'v', tf.float32, [6, 3], already_sorted=True)}
show(tf.io.parse_example(records, sparse))
show(tf.io.parse_single_example(records[0], {'s': sparse['s']}))
ragged = {'plain': R(tf.float32, 'v'), 'wide': R(tf.float32, 'v'),
          'splits': R(tf.float32, 'v', [R.RowSplits('splits')]),
          'lengths': R(tf.float32, 'v', [R.RowLengths('lengths')]),
          'ids': R(tf.float32, 'v', [R.ValueRowIds('ids')]),
          'starts': R(tf.float32, 'v', [R.RowStarts('starts')]),
          'limits': R(tf.float32, 'v', [R.RowLimits('limits')]),
          'one': R(tf.float32, 'v', [R.UniformRowLength(1)])}
show(tf.io.parse_example(records[:2], ragged))
show(tf.io.parse_single_example(records[0], ragged))
print(tf.io.parse_example(records, {'v': R(tf.float32, row_splits_dtype=tf.int64)})['v'].row_splits)
features = {'a': tf.io.FixedLenFeature([], tf.int64), 'b': tf.io.VarLenFeature(tf.string)}
print(features['a'], sparse['s'], ragged['ids'])
for bad in [{}, {'a': 3}, {'v': tf.io.FixedLenSequenceFeature([], tf.float32)}, {'v': tf.io.FixedLenFeature(None, tf.int64)},
            {'v': tf.io.FixedLenFeature([None], tf.int64)}, {'v': tf.io.FixedLenFeature([2, None], tf.int64)},
            {'v': tf.io.VarLenFeature(None)}, {'s': tf.io.SparseFeature('', 'v', tf.float32, 6)},
            {'s': tf.io.SparseFeature('at', 'v', tf.float32, 6), 'at': tf.io.VarLenFeature(tf.float32)},
            {'s': tf.io.SparseFeature('at', 'v', tf.float32, 6), 'v': tf.io.FixedLenFeature([], tf.float32)}]:
    try:
        print(tf.io.parse_example(records, bad))
    except ValueError as e:
        print(e)
for bad in [lambda: R(tf.int32), lambda: R(tf.int64, 3), lambda: R(tf.int64, ''), lambda: R(tf.int64, 'a', 'b'),
            lambda: R(tf.int64, row_splits_dtype=tf.uint8), lambda: R(tf.int64, validate=1)]:
    try:
        print(bad())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)


@tf.function
def in_graph(record):
    return tf.io.parse_example(record, {'v': rows['v'], 's': tf.io.VarLenFeature(tf.string)})


for op in in_graph.get_concrete_function(tf.TensorSpec([None], tf.string)).graph.get_operations():
    print(op.type, op.name)

import tensorflow as tf


def feature(values):
    if values and isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if values and isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def sequence(context, lists):
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={k: feature(v) for k, v in context.items()}),
        feature_lists=tf.train.FeatureLists(feature_list={
            k: tf.train.FeatureList(feature=[feature(v) for v in rows]) for k, rows in lists.items()}),
    ).SerializeToString()


F, V, S, R = tf.io.FixedLenFeature, tf.io.VarLenFeature, tf.io.FixedLenSequenceFeature, tf.io.RaggedFeature
records = [sequence({'id': [3], 'name': [b'a', b'b']},
                    {'pair': [[1, 2], [3, 4], [5, 6]], 'words': [[b'x'], [b'y', b'z']], 'one': [[0.5], [1.5]]}),
           sequence({'id': [4]}, {'pair': [[7, 8]], 'words': [[b'w']], 'one': []}),
           sequence({'id': [5], 'name': [b'c']}, {'pair': []})]
context = {'id': F([], tf.int64), 'name': V(tf.string), 'size': F([2], tf.float32, default_value=[1., 2.])}
lists = {'pair': S([2], tf.int64), 'words': V(tf.string), 'one': S([], tf.float32, allow_missing=True)}


def show(found):
    for part in found:
        for key in sorted(part):
            print(key, part[key])


show(tf.io.parse_sequence_example(records, context, lists))
show(tf.io.parse_single_sequence_example(records[0], context, lists))
show(tf.io.parse_single_sequence_example(records[2], context, {'words': lists['words'], 'one': lists['one']}))
show(tf.io.parse_sequence_example(records, {'name': R(tf.string)}, {'words': R(tf.string), 'pair': R(tf.int64)}))
show(tf.io.parse_single_sequence_example(records[0], {'name': R(tf.string)}, {'words': R(tf.string)}))
show(tf.io.parse_sequence_example(records, {'id': context['id']}))
names = ['first', 'second', 'third']
for what, how in [('missing list', lambda: tf.io.parse_sequence_example(records, None, {'one': S([], tf.float32)})),
                  ('named', lambda: tf.io.parse_sequence_example(records, None, {'one': S([], tf.float32)}, names)),
                  ('missing', lambda: tf.io.parse_sequence_example(records, {'none': F([], tf.int64)})),
                  ('missing one', lambda: tf.io.parse_single_sequence_example(records[0], {'none': F([], tf.int64)})),
                  ('missing list one', lambda: tf.io.parse_single_sequence_example(
                      records[0], None, {'none': S([], tf.int64)})),
                  ('type', lambda: tf.io.parse_sequence_example(records, {'id': F([], tf.float32)})),
                  ('type one', lambda: tf.io.parse_single_sequence_example(records[0], {'id': F([], tf.float32)})),
                  ('sparse type', lambda: tf.io.parse_sequence_example(records, {'id': V(tf.float32)})),
                  ('size', lambda: tf.io.parse_sequence_example(records, {'id': F([3], tf.int64)})),
                  ('list type', lambda: tf.io.parse_sequence_example(records, None, {'pair': S([2], tf.string)})),
                  ('list size', lambda: tf.io.parse_sequence_example(records, None, {'pair': S([3], tf.int64)})),
                  ('list size one', lambda: tf.io.parse_single_sequence_example(
                      records[0], None, {'pair': S([3], tf.int64)})),
                  ('list sparse', lambda: tf.io.parse_sequence_example(records, None, {'pair': V(tf.string)})),
                  ('bytes', lambda: tf.io.parse_sequence_example([b'no record'], context, lists)),
                  ('bytes one', lambda: tf.io.parse_single_sequence_example(b'no record', context, lists)),
                  ('nothing', lambda: tf.io.parse_sequence_example(records)),
                  ('rank', lambda: tf.io.parse_single_sequence_example(records, context))]:
    try:
        show(how())
    except (tf.errors.OpError, ValueError) as e:
        print(what, type(e).__name__, str(getattr(e, 'message', e)).split('}} ')[-1])

"""Feature columns that TensorFlow has made tensors of: nodes, variables, values, and what is raised."""

import numpy as np

FEATURES = {
    'x': np.array([[1.], [7.], [3.]], np.float32),
    'y': np.array([[1., 2.], [3., 4.], [5., 6.]], np.float32),
    'c': np.array([['a'], ['b'], ['zz']]),
    'd': np.array([['a', 'b'], ['b', 'b'], ['', 'c']]),
    'i': np.array([[0], [2], [5]], np.int64),
    'w': np.array([[.5, 1.], [2., 0.], [1., 3.]], np.float32),
    's': np.array(['p', 'q', 'p']),
}


def make(tf, path):
    """Returns the cases by name; |path| is a file of words."""
    fc = tf.feature_column
    ones = tf.ones_initializer()

    def feats():
        return {key: tf.placeholder_with_default(value, [None, *value.shape[1:]]) for key, value in FEATURES.items()}

    def x():
        return fc.numeric_column('x')

    def words(key='c', **options):
        return fc.categorical_column_with_vocabulary_list(key, ['a', 'b', 'c'], **options)

    def layer(*columns):
        return fc.input_layer(feats(), columns)

    def linear(*columns, **options):
        return fc.linear_model(feats(), columns, **options)

    def sparse():
        return tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ['a', 'c', 'b'], [3, 2])

    def variables_of(call):
        found = {}
        call(cols_to_vars=found)
        return sorted((getattr(column, 'name', column), [v.name for v in names]) for column, names in found.items())

    weighted = fc.weighted_categorical_column
    embedded = fc.embedding_column
    by_file = fc.categorical_column_with_vocabulary_file
    by_hash = fc.categorical_column_with_hash_bucket
    by_number = fc.categorical_column_with_identity
    return {
        'numeric': lambda: layer(x(), fc.numeric_column('y', shape=2, normalizer_fn=lambda t: t * 2)),
        'buckets': lambda: layer(fc.bucketized_column(x(), [2., 5.])),
        'linear buckets': lambda: linear(fc.bucketized_column(fc.numeric_column('y', 2), [2., 5.])),
        'words': lambda: layer(fc.indicator_column(words())),
        'words and others': lambda: layer(fc.indicator_column(words(num_oov_buckets=2))),
        'several words': lambda: layer(fc.indicator_column(words('d'))),
        'sparse words': lambda: fc.input_layer({'c': sparse()}, [fc.indicator_column(words())]),
        'words with a default': lambda: layer(fc.indicator_column(words(default_value=1))),
        'numbers as words': lambda: layer(fc.indicator_column(
            fc.categorical_column_with_vocabulary_list('i', [2, 5], num_oov_buckets=1))),
        'file': lambda: layer(fc.indicator_column(by_file('c', path, 2, num_oov_buckets=1))),
        'whole file': lambda: layer(fc.indicator_column(by_file('c', path))),
        'numbers': lambda: layer(fc.indicator_column(by_number('i', 6))),
        'numbers with a default': lambda: layer(fc.indicator_column(by_number('i', 4, default_value=1))),
        'hash': lambda: layer(fc.indicator_column(by_hash('s', 5))),
        'hash of numbers': lambda: layer(fc.indicator_column(by_hash('i', 5, tf.int64))),
        'weighted': lambda: layer(fc.indicator_column(weighted(words('d'), 'w'))),
        'embedded': lambda: layer(embedded(words('d'), 3, initializer=ones), x()),
        'embedded and weighted': lambda: layer(embedded(weighted(words('d'), 'w'), 2, combiner='sum', initializer=ones)),
        'embedded with a norm': lambda: layer(embedded(words(), 2, max_norm=.5, initializer=ones)),
        'shared': lambda: layer(*fc.shared_embedding_columns([words('c'), words('d')], 2, initializer=ones)),
        'linear': lambda: linear(x(), words('d'), embedded(words('c'), 2, initializer=ones), units=2),
        'linear and weighted': lambda: linear(weighted(words('d'), 'w'), sparse_combiner='mean'),
        'two layers': lambda: (layer(x()), layer(embedded(words(), 1, initializer=ones)))[1],
        'two models': lambda: linear(x()) + linear(words('d')),
        'variables': lambda: variables_of(lambda **o: fc.input_layer(feats(), [embedded(words(), 1), x()], **o)),
        'variables of a model': lambda: variables_of(lambda **o: fc.linear_model(feats(), [words(), x()], **o)),
        'to be read': lambda: sorted((key, str(value)) for key, value in fc.make_parse_example_spec([
            x(), words(), fc.crossed_column(['c', 's'], 10), weighted(words('d'), 'w'),
            fc.numeric_column('y', 2, [1, 2])]).items()),
        'shown': lambda: [str(x()), str(words()), str(fc.indicator_column(words())), fc.crossed_column(
            ['s', fc.bucketized_column(x(), [1.])], 4).name],
        'order': lambda: [column.name for column in sorted([words('d'), x(), by_hash('s', 3)])],
        'a number': lambda: fc.input_layer({'x': 1.}, [x()]),
        'a missing feature': lambda: fc.input_layer({'z': 1.}, [x()]),
        'twice': lambda: layer(x(), x()),
        'not dense': lambda: layer(words()),
        'sparse numbers': lambda: fc.input_layer({'x': sparse()}, [x()]),
        'no order': lambda: fc.bucketized_column(x(), [2, 1]),
        'no boundaries': lambda: fc.bucketized_column(x(), []),
        'no columns': lambda: layer(),
        'no column': lambda: layer('x'),
        'no size': lambda: embedded(words(), 0),
        'no categories': lambda: by_number('i', 0),
        'a default too large': lambda: by_number('i', 3, 3),
        'other words': lambda: layer(fc.indicator_column(words('i'))),
        'words twice': lambda: fc.categorical_column_with_vocabulary_list('c', ['a', 'a']),
        'a cross of hashes': lambda: fc.crossed_column(['a', by_hash('s', 5)], 10),
        'a cross of one': lambda: fc.crossed_column(['a'], 10),
        'other batches': lambda: fc.input_layer({'x': np.zeros([2, 1]), 'y': np.zeros([3, 2])}, [
            x(), fc.numeric_column('y', 2)]),
        'other defaults': lambda: fc.numeric_column('x', shape=2, default_value=[1, 2, 3]),
        'others to share': lambda: fc.shared_embedding_columns([words(), by_number('i', 3)], 2),
        'a text of numbers': lambda: fc.numeric_column('x', dtype=tf.string),
    }

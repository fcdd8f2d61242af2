"""Datasets that TensorFlow has gone through: by hand, and put together at random from a seed."""

import gzip
import os
import random
import zlib

import numpy as np


def _files(tf, folder):
    """Writes files to read, and returns their names without endings."""
    names = [os.path.join(folder, name) for name in 'ab']
    for path in names:
        tag = os.path.basename(path)
        text = f'{tag}1\n{tag}2\r\n\n{tag}3'
        with open(path + '.txt', 'w', newline='') as file:
            file.write(text)
        with open(path + '.zz', 'wb') as file:
            file.write(zlib.compress(text.encode()))
        with open(path + '.bin', 'wb') as file:
            file.write(b'HH' + bytes(range(12)) + b'F')
        with tf.io.TFRecordWriter(path + '.rec') as writer:
            for i in range(3):
                writer.write(f'{tag}{i}'.encode())
    return names


def _composite(tf):
    """Sparse and ragged elements."""
    D = tf.data.Dataset

    def grid():
        return tf.sparse.SparseTensor([[0, 0], [0, 2], [2, 1], [3, 0]], [1., 2., 3., 4.], [4, 3])

    def ones(n):
        return D.range(n).map(lambda x: tf.sparse.from_dense(tf.one_hot(x, 5)))

    def uneven():
        return D.range(5).map(lambda x: tf.fill([x], x))

    def words():
        return tf.sparse.SparseTensor([[0, 0], [1, 1]], ['a', 'b'], [3, 2])

    return {
        'sparse': lambda: D.from_tensors(grid()),
        'sparse rows': lambda: D.from_tensor_slices(grid()),
        'sparse rows beside others': lambda: D.from_tensor_slices((grid(), {'n': [1, 2, 3, 4]}, words_of(tf, 4))),
        'sparse words': lambda: D.from_tensor_slices(words()).batch(2),
        'sparse batches': lambda: ones(5).batch(2),
        'sparse batches dropped': lambda: ones(5).batch(2, drop_remainder=True),
        'sparse batches of batches': lambda: ones(5).batch(2).batch(2),
        'sparse batches taken apart': lambda: ones(5).batch(2).unbatch(),
        'sparse and dense': lambda: ones(3).enumerate().batch(2).map(lambda i, s: (s, i)),
        'sparse shapes': lambda: D.range(1, 4).map(
            lambda n: tf.sparse.from_dense(tf.ones([n, n + 1]))).batch(3),
        'sparse filtered': lambda: ones(5).filter(lambda s: tf.sparse.reduce_sum(s * [0., 1., 1., 1., 0.]) > 0),
        'sparse rows of other sizes': lambda: D.from_tensor_slices((grid(), [1, 2, 3])),
        'sparse batch': lambda: uneven().sparse_batch(3, [6]),
        'sparse batch of matrices': lambda: D.range(1, 4).map(lambda n: tf.ones([n, 2])).sparse_batch(2, [4, 2]),
        'ragged': lambda: D.from_tensors(tf.ragged.constant([[1, 2], [], [3]])).map(lambda x: x * 2),
        'ragged batch': lambda: uneven().ragged_batch(2),
        'ragged batch dropped': lambda: uneven().ragged_batch(2, drop_remainder=True, row_splits_dtype=tf.int32),
        'ragged batch of matrices': lambda: D.range(1, 5).map(lambda n: tf.fill([n, 2], n)).ragged_batch(3),
        'ragged batch of one shape': lambda: D.range(5).map(lambda n: tf.fill([2], n)).ragged_batch(3),
        'ragged batch beside others': lambda: D.range(4).map(lambda n: {'a': tf.fill([n], n), 'b': n}).ragged_batch(3),
        'batches anew': lambda: D.range(7).batch(3).rebatch(2),
        'batches anew dropped': lambda: D.range(7).batch(2).rebatch(3, drop_remainder=True),
    }


def words_of(tf, count):
    return tf.constant([f'w{i}' for i in range(count)])


def _woven(tf):
    """Interleave on several threads, in order."""
    D = tf.data.Dataset

    def some(x):
        return D.range(x).map(lambda y: x * 100 + y)

    def lengths():
        return D.range(12).map(lambda x: (x * 7) % 10)

    cases = {}
    for cycle, block, calls in ((1, 1, 1), (2, 1, 2), (3, 2, 3), (5, 1, tf.data.AUTOTUNE), (4, 3, 2), (20, 1, 4)):
        def make(cycle=cycle, block=block, calls=calls):
            return lengths().interleave(some, cycle, block, num_parallel_calls=calls, deterministic=True)
        cases[f'woven {cycle} {block} {calls}'] = make
    cases['woven with failures'] = lambda: D.range(1, 6).interleave(
        lambda x: D.from_tensors(tf.debugging.check_numerics(1. / tf.cast(x - 3, tf.float32), 'no')), 2, num_parallel_calls=2).ignore_errors()
    cases['woven by nobody'] = lambda: D.range(3).interleave(some, 2, num_parallel_calls=0)
    cases['woven by too many'] = lambda: D.range(3).interleave(some, 2, num_parallel_calls=3)
    cases['woven from nothing'] = lambda: D.range(0).interleave(some, 2, num_parallel_calls=2)
    return cases


def _examples(tf, folder):
    """Batches of features of Examples in files."""
    folder = os.path.join(folder, 'examples')
    os.makedirs(folder, exist_ok=True)
    for name, count in (('ex1', 5), ('ex2', 4)):
        with tf.io.TFRecordWriter(os.path.join(folder, name)) as writer:
            for i in range(count):
                writer.write(tf.train.Example(features=tf.train.Features(feature={
                    'x': tf.train.Feature(float_list=tf.train.FloatList(value=[i, i + .5])),
                    'w': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'%d' % i] * (i % 3))),
                    'y': tf.train.Feature(int64_list=tf.train.Int64List(value=[int(name[2]) * 10 + i])),
                })).SerializeToString())
    features = {'x': tf.io.FixedLenFeature([2], tf.float32), 'w': tf.io.VarLenFeature(tf.string),
                'y': tf.io.FixedLenFeature([], tf.int64)}
    read, pattern = tf.data.experimental.make_batched_features_dataset, os.path.join(folder, 'ex*')
    return {
        'examples': lambda: read(pattern, 4, features, num_epochs=1, shuffle=False),
        'examples labelled': lambda: read(pattern, 2, features, label_key='y', num_epochs=2, shuffle=False,
                                          drop_final_batch=True),
        'examples shuffled': lambda: read(pattern, 3, features, num_epochs=1, shuffle_seed=7, shuffle_buffer_size=4),
        'examples for ever': lambda: read([os.path.join(folder, 'ex2')], 3, features, shuffle=False),
        'examples without the label': lambda: read(pattern, 2, features, label_key='z'),
    }


def _by_hand(tf, folder):
    D, e = tf.data.Dataset, tf.data.experimental
    files = _files(tf, folder)

    def pairs():
        for i in range(3):
            yield i, [i] * i

    def branch(x):
        if x > 2:
            return x * 10
        return x

    def grow(n):
        return tf.fill([n], n)

    lengths = [[0], [1, 2, 3, 4], [5, 6, 7], [7, 8, 9, 10, 11], [13, 14, 15, 16, 19, 20], [21, 22]]
    return {
        **_composite(tf), **_woven(tf), **_examples(tf, folder),
        'window': lambda: D.range(7).window(3, shift=2, stride=2),
        'window dropped': lambda: D.range(7).window(3, drop_remainder=True).flat_map(lambda w: w.batch(3)),
        'window dict': lambda: D.from_tensor_slices({'a': [1, 2, 3], 'b': [4, 5, 6]}).window(2),
        'window wide': lambda: D.range(9).window(2, shift=4).flat_map(lambda w: w.map(lambda x: x * 2)),
        'padded': lambda: D.range(1, 5).map(grow).padded_batch(3),
        'padded values': lambda: D.range(1, 5).map(lambda n: (tf.fill([n, 2], n), tf.cast(n, tf.float32))).padded_batch(
            2, padded_shapes=([None, 3], []), padding_values=(tf.constant(-1, tf.int64), 0.), drop_remainder=True),
        'padded too small': lambda: D.range(1, 5).map(grow).padded_batch(3, padded_shapes=[2]),
        'padded text': lambda: D.from_generator(lambda: iter([['a'], ['b', 'c']]), tf.string, [None]).padded_batch(2),
        'cache': lambda: D.range(3).map(lambda x: x + 1).cache().repeat(2),
        'scan': lambda: D.range(5).scan(np.int64(1), lambda s, x: (s + x, s * 10)),
        'group': lambda: D.range(10).group_by_window(lambda x: x % 3, lambda k, d: d.batch(2), window_size=2),
        'group by size': lambda: D.range(12).group_by_window(
            lambda x: x % 2, lambda k, d: d.map(lambda x: x * 10 + k), window_size_func=lambda k: k + 2),
        'bucket': lambda: D.from_generator(lambda: iter(lengths), tf.int32, [None]).bucket_by_sequence_length(
            lambda element: tf.shape(element)[0], [3, 5], [2, 2, 2]),
        'bucket boundary': lambda: D.from_generator(lambda: iter(lengths), tf.int32, [None]).bucket_by_sequence_length(
            lambda element: tf.shape(element)[0], [3, 7], [2, 2, 2], pad_to_bucket_boundary=True),
        'generator': lambda: D.from_generator(pairs, output_signature=(
            tf.TensorSpec((), tf.int32), tf.TensorSpec((None,), tf.float32))),
        'generator args': lambda: D.from_generator(lambda n: (i for i in range(n)), tf.int64, args=[4]).repeat(2),
        'generator dict': lambda: D.from_generator(lambda: iter([{'a': 1, 'b': 'x'}]), {'a': tf.int32, 'b': tf.string}),
        'lines': lambda: tf.data.TextLineDataset([f + '.txt' for f in files]),
        'lines packed': lambda: tf.data.TextLineDataset([f + '.zz' for f in files], compression_type='ZLIB'),
        'lines of a dataset': lambda: D.from_tensor_slices([f + '.txt' for f in files]).interleave(
            tf.data.TextLineDataset, cycle_length=2),
        'records': lambda: tf.data.TFRecordDataset([f + '.rec' for f in files]),
        'records parallel': lambda: tf.data.TFRecordDataset([f + '.rec' for f in files], num_parallel_reads=2),
        'fixed': lambda: tf.data.FixedLengthRecordDataset([f + '.bin' for f in files], 4, 2, 1),
        'list files': lambda: D.list_files(os.path.join(folder, '*.txt'), shuffle=False).map(
            lambda name: tf.strings.split(name, '/')[-1]),
        'list shuffled': lambda: D.list_files(os.path.join(folder, '*'), seed=3).map(
            lambda name: tf.strings.split(name, '/')[-1]),
        'enumerate': lambda: D.range(10, 13).enumerate(5),
        'interleave': lambda: D.range(1, 6).interleave(
            lambda x: D.from_tensors(x).repeat(6), cycle_length=2, block_length=4),
        'interleave parallel': lambda: D.range(1, 6).interleave(
            lambda x: D.range(x), cycle_length=3, block_length=2, num_parallel_calls=2),
        'filter': lambda: D.range(10).filter(lambda x: x % 3 == 0),
        'take while': lambda: D.range(10).take_while(lambda x: x < 4),
        'shard': lambda: D.range(10).shard(3, 1),
        'shard wrong': lambda: D.range(10).shard(3, 3),
        'unique': lambda: D.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique(),
        'unique texts': lambda: D.from_tensor_slices(['a', 'b', 'a']).unique(),
        'random': lambda: D.random(seed=4).take(5),
        'random anew': lambda: D.random(seed=4, rerandomize_each_iteration=True).take(3).repeat(2),
        'sample': lambda: D.sample_from_datasets(
            [D.range(5), D.range(10, 15), D.range(20, 25)], weights=[.5, .3, .2], seed=7),
        'sample stops': lambda: D.sample_from_datasets([D.range(5), D.range(10, 15)], seed=1, stop_on_empty_dataset=True),
        'choose': lambda: D.choose_from_datasets(
            [D.from_tensors(c).repeat() for c in 'xyz'], D.range(3).repeat(2)),
        'ignore errors': lambda: D.from_tensor_slices([1., 2., 0., 4.]).map(
            lambda x: tf.debugging.check_numerics(1. / x, 'error')).ignore_errors(),
        'zip': lambda: D.zip((D.range(3), {'q': D.range(5, 9)})),
        'zip more': lambda: D.zip(D.range(3), D.range(2).batch(2)),
        'concatenate others': lambda: D.range(3).concatenate(D.from_tensors(1.)),
        'sparse': lambda: D.from_tensors(tf.sparse.from_dense([[1, 0], [0, 2]])).map(lambda s: s.values * 2),
        'concatenate': lambda: D.range(3).concatenate(D.range(8, 10)),
        'unbatch': lambda: D.from_tensor_slices([[1, 2], [3, 4]]).unbatch(),
        'repeat 0': lambda: D.range(3).repeat(0),
        'skip all': lambda: D.range(5).skip(-1),
        'take all': lambda: D.range(5).take(-1),
        'batch of nothing': lambda: D.range(0).batch(3),
        'batch 0': lambda: D.range(5).batch(0),
        'batches differ': lambda: D.from_generator(lambda: iter([[1], [2, 3]]), tf.int32).batch(2),
        'range down': lambda: D.range(10, 1, -3, output_type=tf.float32),
        'range of nothing': lambda: D.range(3, 3),
        'counter': lambda: D.counter(3, 2).take(3),
        'shuffle and repeat': lambda: D.range(5).apply(e.shuffle_and_repeat(10, count=3, seed=5)),
        'map and batch': lambda: D.range(5).apply(e.map_and_batch(lambda x: x + 1, 2)),
        'assert cardinality': lambda: D.range(5).apply(e.assert_cardinality(4)),
        'list of results': lambda: D.range(2).map(lambda x: [x, x + 1]),
        'py_function': lambda: D.range(3).map(lambda x: tf.py_function(lambda v: v * 3, [x], tf.int64)),
        'numpy_function': lambda: D.range(3).map(
            lambda x: tf.numpy_function(lambda v: v * 3, [x], tf.int64), num_parallel_calls=2),
        'rows': lambda: D.from_tensor_slices((['a', 'b'], np.array([[1., 2], [3, 4]]))),
        'rows differ': lambda: D.from_tensor_slices(([1, 2], [3, 4, 5])),
        'rows of a scalar': lambda: D.from_tensor_slices(3),
        'autograph': lambda: D.range(6).map(branch),
        'seeds of functions': lambda: D.range(3).map(lambda x: tf.random.uniform([], seed=9)).repeat(2),
        'shuffle repeated': lambda: D.range(6).shuffle(3, seed=2).repeat(2),
        'shuffle fixed': lambda: D.range(6).shuffle(3, seed=2, reshuffle_each_iteration=False).repeat(2),
        'shuffle for ever': lambda: D.range(4).shuffle(4, seed=2).repeat().take(11),
        'shuffle 0': lambda: D.range(4).shuffle(0),
        'predicate': lambda: D.range(4).filter(lambda x: x),
        'flat map of a tensor': lambda: D.range(4).flat_map(lambda x: x).map(lambda x: x),
    }


def _shuffles(tf):
    """Orders for many seeds, sizes and lengths."""
    made = {}
    for seed in (0, 1, 7, 42, 123456789, 2 ** 31 - 1, 2 ** 40 + 3, -5):
        for size, count in ((1, 5), (3, 10), (10, 10), (64, 30)):
            made[f'shuffle {seed} {size} {count}'] = (
                lambda seed=seed, size=size, count=count: tf.data.Dataset.range(count).shuffle(size, seed=seed).batch(50))
    return made


def _random_pipelines(tf):
    """Pipelines of a few steps, each from a seed of its own."""
    def step(dataset, draw):
        kind = draw.choice(['map', 'wide', 'batch', 'take', 'skip', 'repeat', 'shuffle', 'filter', 'flat', 'interleave',
                            'prefetch', 'shard', 'zip', 'concatenate', 'cache', 'scan', 'window'])
        n = draw.randint(1, 4)
        flat = tf.data.Dataset.range
        if kind in ('map', 'wide'):
            return dataset.map(lambda x: x * n + 1, num_parallel_calls=None if kind == 'map' else n)
        if kind == 'batch':
            return dataset.batch(n, drop_remainder=draw.random() < .5).map(tf.reduce_sum)
        if kind in ('take', 'skip'):
            return getattr(dataset, kind)(n * (3 if kind == 'take' else 1))
        if kind == 'repeat':
            return dataset.repeat(draw.randint(0, 2))
        if kind == 'shuffle':
            return dataset.shuffle(n + 1, seed=draw.randint(0, 99), reshuffle_each_iteration=draw.random() < .5)
        if kind == 'filter':
            return dataset.filter(lambda x: x % (n + 1) > 0)
        if kind == 'flat':
            return dataset.flat_map(lambda x: flat(x, x + n))
        if kind == 'interleave':
            return dataset.interleave(lambda x: flat(x, x + n), cycle_length=n, block_length=draw.randint(1, 3),
                                      num_parallel_calls=draw.choice([None, 2]))
        if kind == 'prefetch':
            return dataset.prefetch(n)
        if kind == 'shard':
            return dataset.shard(n, draw.randint(0, n - 1))
        if kind == 'zip':
            return tf.data.Dataset.zip((dataset, flat(n, n + 9))).map(lambda a, b: a * 100 + b)
        if kind == 'concatenate':
            return dataset.concatenate(flat(n))
        if kind == 'cache':
            return dataset.cache()
        if kind == 'scan':
            return dataset.scan(np.int64(n), lambda s, x: (s + x, s - x))
        return dataset.window(n + 1, shift=draw.randint(1, 3), drop_remainder=draw.random() < .5).flat_map(
            lambda w: w.batch(9)).map(tf.reduce_max)

    def pipeline(seed):
        draw = random.Random(seed)
        dataset = tf.data.Dataset.range(draw.randint(0, 12))
        for _ in range(draw.randint(2, 6)):
            dataset = step(dataset, draw)
        return dataset

    return {f'pipeline {seed}': (lambda seed=seed: pipeline(seed)) for seed in range(60)}


def _resamples(tf):
    D = tf.data.Dataset
    classes = D.range(120).map(lambda x: tf.cast(x % 3, tf.int32))
    pairs = D.zip((D.range(60), D.range(60).map(lambda x: x * 2)))

    def resampled(target, initial, seed):
        return lambda: classes.rejection_resample(lambda kind: kind, target, initial, seed=seed).take(30)

    cases = {f'resample {target} {initial} {seed}': resampled(target, initial, seed)
             for target in ([.2, .3, .5], [.5, .3, .2], [0., 0., 1.]) for initial in (None, [.5, .3, .2]) for seed in (1, 7)}
    cases['resample pairs'] = lambda: pairs.rejection_resample(lambda x, y: tf.cast(x % 2, tf.int32), [.1, .9], seed=3).take(9)
    return cases


def _write_rows(path):
    for name, text in (('one.csv', 'n,x,s,big\n1,2.5,a,1\n2,,"b,""c",4294967296\n3,1e3,NA,7\n'),
                       ('two.csv', 'n,x,s,big\n4,0.5,d,1\n5,7,e,\n'), ('short.csv', 'n,x\n1,2\n3\n')):
        with open(path[name], 'w') as file:
            file.write(text)
    with gzip.open(path['packed.gz'], 'wt') as file:
        file.write('n,x\n9,1\n8,2\n')


def _rows(tf, folder):
    e = tf.data.experimental
    path = {name: os.path.join(folder, name) for name in ('one.csv', 'two.csv', 'packed.gz', 'short.csv')}

    def write():
        """Not before they are read: other cases list the folder."""
        _write_rows(path)
        return e

    one, both = path['one.csv'], os.path.join(folder, '???.csv')

    def made(pattern, size=1, **more):
        return lambda: write().make_csv_dataset(pattern, size, **{'shuffle': False, 'num_epochs': 1, **more})

    return {
        'csv': lambda: write().CsvDataset(one, [tf.int32, tf.constant([.5]), tf.string, tf.int64], header=True),
        'csv of two': lambda: write().CsvDataset([one, path['two.csv']], [tf.int32, [.5], tf.string, tf.constant([3], tf.int64)],
                                           header=True),
        'csv chosen': lambda: write().CsvDataset(one, [tf.int32, tf.string], header=True, select_cols=[0, 2]),
        'csv without': lambda: write().CsvDataset(one, [tf.int32, tf.string], header=True, exclude_cols=[1, 3]),
        'csv na': lambda: write().CsvDataset(one, [tf.int32, [1.], ['none'], tf.int64], header=True, na_value='NA'),
        'csv packed': lambda: write().CsvDataset(path['packed.gz'], [tf.int32, tf.float32], header=True, compression_type='GZIP'),
        'csv rows': made(both, 2),
        'csv rows labelled': made(one, 2, label_name='n', select_columns=['n', 's']),
        'csv rows for ever': lambda: write().make_csv_dataset(one, 2, shuffle=False, select_columns=[1]).take(4),
        'csv rows shuffled': made(both, shuffle=True, shuffle_seed=3, num_epochs=2, select_columns=['n']),
        'csv rows packed': made(path['packed.gz'], 3, compression_type='GZIP'),
        'csv rows named': made(path['two.csv'], 3, column_names=list('abcd'), column_defaults=[tf.string] * 3 + [''], header=False),
        'csv rows left out': made(path['short.csv'], column_names=['n', 'x'], column_defaults=[0, 0], ignore_errors=True),
        'csv rows without names': made(one, header=False),
        'csv rows of another label': made(one, label_name='q'),
        'csv rows of no column': made(one, select_columns=['q']),
        'csv rows of a far column': made(one, select_columns=[9]),
        'csv rows named twice': made(one, column_names=['a', 'a', 'b', 'c']),
        'csv rows of two lengths': made(one, select_columns=[1], column_defaults=[0, 0]),
        'csv rows too short': made(path['short.csv']),
        'csv rows of nothing': made([]),
    }


def make(tf, folder):
    """Returns functions that make datasets, by name."""
    return {**_by_hand(tf, folder), **_shuffles(tf), **_random_pipelines(tf), **_resamples(tf), **_rows(tf, folder)}

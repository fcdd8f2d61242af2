import tensorflow as tf


def example(ints, words):
    return tf.train.Example(features=tf.train.Features(feature={
        'x': tf.train.Feature(int64_list=tf.train.Int64List(value=ints)),
        'w': tf.train.Feature(bytes_list=tf.train.BytesList(value=words)),
    })).SerializeToString()


batch = [example([1, 2], [b'a']), example([3, 4], [b'b', b'c'])]
parsed = tf.io.parse_example(batch, {
    'x': tf.io.FixedLenFeature([2], tf.int64),
    'w': tf.io.VarLenFeature(tf.string),
})
print(parsed['x'])
print(parsed['w'])
print(tf.sparse.to_dense(parsed['w'], default_value='-'))
one = tf.io.parse_single_example(batch[1], {'w': tf.io.VarLenFeature(tf.string)})
print(one['w'].values, one['w'].dense_shape)
try:
    tf.io.parse_single_example(batch[0], {'y': tf.io.FixedLenFeature([], tf.int64)})
except tf.errors.InvalidArgumentError as e:
    print(e.message)
try:
    tf.io.parse_single_example(batch[0], {'x': tf.io.FixedLenFeature([3], tf.int64)})
except tf.errors.InvalidArgumentError as e:
    print(e.message)
print(tf.io.FixedLenFeature([2], tf.int64), tf.io.VarLenFeature(tf.string))

import tensorflow as tf


def _bytes_feature(value):
    if isinstance(value, type(tf.constant(0))):
        value = value.numpy()
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def _float_feature(value):
    return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))


def _int64_feature(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


print(_bytes_feature(b'test_string'))
print(_float_feature(0.5))
print(_int64_feature(1))
feature = {'feature0': _int64_feature(0), 'feature1': _int64_feature(4),
           'feature2': _bytes_feature(b'goat'), 'feature3': _float_feature(0.9876)}
proto = tf.train.Example(features=tf.train.Features(feature=feature))
serialized = proto.SerializeToString(deterministic=True)
print(serialized)
print(tf.train.Example.FromString(serialized))
description = {
    'feature0': tf.io.FixedLenFeature([], tf.int64, default_value=0),
    'feature1': tf.io.FixedLenFeature([], tf.int64, default_value=0),
    'feature2': tf.io.FixedLenFeature([], tf.string, default_value=''),
    'feature3': tf.io.FixedLenFeature([], tf.float32, default_value=0.0),
    'feature4': tf.io.FixedLenFeature([], tf.float32, default_value=-1.0),
}
parsed = tf.io.parse_single_example(serialized, description)
for key in sorted(parsed):
    print(key, parsed[key])

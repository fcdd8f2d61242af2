# TF1
import tensorflow as tf

example = tf.train.Example(features=tf.train.Features(feature={
    'label': tf.train.Feature(int64_list=tf.train.Int64List(value=[7])),
    'image_raw': tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes(range(6))])),
}))
serialized = tf.placeholder(tf.string, [], name='example')
features = tf.parse_single_example(serialized, features={
    'label': tf.FixedLenFeature([], tf.int64),
    'image_raw': tf.FixedLenFeature([], tf.string),
})
image = tf.decode_raw(features['image_raw'], tf.uint8)
image = tf.reshape(image, [2, 3])
label = tf.cast(features['label'], tf.int32)
print(image, label)
with tf.Session() as sess:
    print(sess.run([image, label], {serialized: example.SerializeToString()}))

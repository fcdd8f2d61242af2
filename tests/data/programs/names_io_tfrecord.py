import tensorflow as tf

with tf.io.TFRecordWriter('test.tfrecord') as writer:
    for i in range(3):
        example = tf.train.Example(features=tf.train.Features(feature={
            'i': tf.train.Feature(int64_list=tf.train.Int64List(value=[i, i * i]))}))
        writer.write(example.SerializeToString())
print(tf.io.gfile.GFile('test.tfrecord', 'rb').size())
for record in tf.compat.v1.io.tf_record_iterator('test.tfrecord'):
    example = tf.train.Example()
    example.ParseFromString(record)
    print(list(example.features.feature['i'].int64_list.value), len(record))
raw = tf.io.read_file('test.tfrecord').numpy()
print(raw[:16].hex())
options = tf.io.TFRecordOptions(compression_type='GZIP')
with tf.io.TFRecordWriter('z.tfrecord', options) as writer:
    writer.write(b'abc' * 10)
print(list(tf.compat.v1.io.tf_record_iterator('z.tfrecord', options=options)))
open('bad.tfrecord', 'wb').write(raw[:20])
try:
    list(tf.compat.v1.io.tf_record_iterator('bad.tfrecord'))
except tf.errors.DataLossError as e:
    print(type(e).__name__, e.message)

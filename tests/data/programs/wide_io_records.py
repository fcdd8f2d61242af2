import tensorflow as tf

with tf.io.TFRecordWriter('data.tfrecord') as w:
    for i in range(3):
        ex = tf.train.Example(features=tf.train.Features(feature={
            'id': tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
            'name': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'n%d' % i])),
            'xs': tf.train.Feature(float_list=tf.train.FloatList(value=[0.5] * i))}))
        w.write(ex.SerializeToString())
print(ex)
spec = {'id': tf.io.FixedLenFeature([], tf.int64), 'name': tf.io.FixedLenFeature([], tf.string, default_value=''),
        'xs': tf.io.VarLenFeature(tf.float32)}
for record in tf.compat.v1.io.tf_record_iterator('data.tfrecord'):
    p = tf.io.parse_single_example(record, spec)
    print(p['id'], p['name'], p['xs'].values)
t = tf.io.serialize_tensor(tf.constant([[1, 2]]))
print(t, tf.io.parse_tensor(t, tf.int32))
print(tf.io.decode_csv(['1,a,2.5', '2,,3'], [[0], ['none'], [0.]]))
print(tf.make_ndarray(tf.make_tensor_proto([1, 2, 3])))
for bad in (lambda: tf.io.parse_tensor(t, tf.float32), 
            lambda: tf.io.decode_csv(['x'], [[0]]), lambda: tf.io.parse_single_example(b'', {'q': tf.io.FixedLenFeature([], tf.int64)}),
            lambda: tf.io.decode_csv(['1,2'], [[0]])):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)

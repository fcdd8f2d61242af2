import hashlib
import os

import tensorflow as tf

options = tf.io.TFRecordOptions
for packing in [None, 'GZIP', 'ZLIB', options('GZIP', compression_level=1),
                options('ZLIB', compression_level=9, mem_level=2, window_bits=10), options('ZLIB', flush_mode=2),
                options('ZLIB', compression_strategy=2)]:
    with tf.io.TFRecordWriter('x.rec', packing) as writer:
        for i in range(50):
            writer.write(b'abc%d' % i * i)
    data = open('x.rec', 'rb').read()
    print(len(data), hashlib.md5(data).hexdigest())
    print(len(list(tf.compat.v1.io.tf_record_iterator('x.rec', packing))))
writer = tf.io.TFRecordWriter('y.rec')
writer.write('text')
writer.flush()
print(os.path.getsize('y.rec'))
writer.close()
writer.close()
for bad in [lambda: writer.write(b'a'), lambda: writer.flush(), lambda: tf.io.TFRecordWriter('/none/x'),
            lambda: tf.io.TFRecordWriter('z', 'BZ'), lambda: list(tf.compat.v1.io.tf_record_iterator('/none/x')),
            lambda: list(tf.compat.v1.io.tf_record_iterator('x.rec', 'GZIP'))]:
    try:
        print(bad())
    except (tf.errors.OpError, ValueError) as e:
        print(type(e).__name__, e)

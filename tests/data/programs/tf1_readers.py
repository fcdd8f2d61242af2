# TF1
import gzip
import zlib

import tensorflow as tf





def put(name, data):
    with open(name, 'wb') as file:
        file.write(data)


put('a.bin', b'HEaabbccF')
put('b.bin', b'HEddF')
put('odd.bin', b'HEeefF')
put('z.bin', zlib.compress(b'HEgghhF'))
put('g.bin', gzip.compress(b'HEiijjF', mtime=0))
put('short.bin', b'H')
put('empty.bin', b'')
put('a.txt', b'head\none\r\ntwo\n\nlast')
put('b.txt', b'head\nnext\n')
with tf.io.TFRecordWriter('a.rec') as w:
    for r in [b'first', b'', b'third' * 5]:
        w.write(r)
with tf.io.TFRecordWriter('g.rec', 'GZIP') as w:
    w.write(b'zipped')
    w.write(b'too')
with tf.io.TFRecordWriter('z.rec', 'ZLIB') as w:
    w.write(b'flat')
data = open('a.rec', 'rb').read()
put('cut.rec', data[:-3])
put('cut2.rec', data[:30])
put('bad.rec', data[:14] + b'X' + data[15:])
put('bad2.rec', b'X' + data[1:])


def text(error):
    return f'{type(error).__name__}: {error.message.splitlines()[-2]}'


def trial(label, reader, files, count=8, up_to=None, close=True):
    queue = tf.FIFOQueue(20, [tf.string], shapes=[[]], shared_name='q_' + label)
    fill, end = queue.enqueue_many([tf.constant(files)]), queue.close()
    read = reader.read(queue) if up_to is None else reader.read_up_to(queue, up_to)
    done = [reader.num_records_produced(), reader.num_work_units_completed()]
    print('==', label, read, [d.name for d in done], reader.reader_ref, reader.supports_serialize)
    with tf.Session() as sess:
        sess.run(fill)
        sess.run(end)
        for _ in range(count):
            try:
                k, v = sess.run(read)
                print(k, v, *sess.run(done))
            except tf.errors.OutOfRangeError as e:
                print(text(e), *sess.run(done))
                break
            except tf.errors.OpError as e:
                print(text(e), *sess.run(done))
        try:
            print(sess.run(reader.serialize_state()))
        except tf.errors.OpError as e:
            print(text(e))
        try:
            print(sess.run(reader.restore_state(b'abc')))
        except tf.errors.OpError as e:
            print(text(e))
        try:
            print(sess.run(reader.reset()), *sess.run(done))
        except tf.errors.OpError as e:
            print(text(e))


trial('fixed', tf.FixedLengthRecordReader(2, 2, 1), ['a.bin', 'b.bin', 'odd.bin', 'empty.bin', 'short.bin', 'a.bin'])
trial('hop', tf.FixedLengthRecordReader(3, 1, 1, hop_bytes=1), ['a.bin', 'b.bin'], 12)
trial('hop4', tf.FixedLengthRecordReader(2, 0, 0, hop_bytes=4), ['a.bin', 'b.bin'], 12)
trial('fixedz', tf.FixedLengthRecordReader(2, 2, 1, encoding='ZLIB'), ['z.bin', 'a.bin'])
trial('fixedg', tf.FixedLengthRecordReader(2, 2, 1, encoding='GZIP'), ['g.bin'])
trial('fixedx', tf.FixedLengthRecordReader(2, 2, 1, encoding='WHAT'), ['g.bin'], 2)
trial('upto', tf.FixedLengthRecordReader(2, 2, 1), ['a.bin', 'b.bin', 'empty.bin', 'a.bin'], up_to=2)
trial('lines', tf.TextLineReader(), ['a.txt', 'empty.bin', 'b.txt'], 12)
trial('skip', tf.TextLineReader(skip_header_lines=1), ['a.txt', 'empty.bin', 'b.txt'], 12)
trial('skip9', tf.TextLineReader(skip_header_lines=9), ['a.txt', 'b.txt'], 12)
trial('records', tf.TFRecordReader(), ['a.rec', 'empty.bin', 'a.rec'], 12)
trial('gzip', tf.TFRecordReader(options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)), ['g.rec'])
trial('zlib', tf.TFRecordReader(options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB)), ['z.rec'])
trial('gzip_plain', tf.TFRecordReader(options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)), ['a.rec'], 3)
trial('cut', tf.TFRecordReader(), ['cut.rec'], 5)
trial('cut2', tf.TFRecordReader(), ['cut2.rec'], 5)
trial('bad', tf.TFRecordReader(), ['bad.rec'], 3)
trial('bad2', tf.TFRecordReader(), ['bad2.rec'], 3)
trial('whole', tf.WholeFileReader(), ['a.txt', 'empty.bin', 'none.txt', 'b.txt'])
trial('identity', tf.IdentityReader(), ['x', '', 'y'])
trial('missing', tf.TextLineReader(), ['none.txt', 'b.txt', '.'], 4)
trial('whole_up', tf.WholeFileReader(), ['a.txt', 'b.txt', 'a.txt'], up_to=2)
trial('identity_up', tf.IdentityReader(), ['a.txt', 'b.txt', 'a.txt'], up_to=2)
trial('rec_up', tf.TFRecordReader(), ['a.rec', 'a.rec'], up_to=2)
trial('up0', tf.TFRecordReader(), ['a.rec', 'a.rec'], up_to=0, count=2)
for bad in [lambda: tf.FixedLengthRecordReader(0), lambda: tf.FixedLengthRecordReader(-1),
            lambda: tf.FixedLengthRecordReader(2, -1), lambda: tf.FixedLengthRecordReader(2, footer_bytes=-1),
            lambda: tf.FixedLengthRecordReader(2, hop_bytes=-1), lambda: tf.TextLineReader(skip_header_lines=-1)]:
    try:
        r = bad()
        with tf.Session() as sess:
            print(sess.run(r.num_records_produced()))
    except Exception as e:
        print(type(e).__name__, ' '.join(str(getattr(e, 'message', e)).splitlines()[-2:]))
for types, values, shapes in [([tf.int32], [1], None), ([tf.string, tf.string], ['a', 'b'], None), ([tf.string], [['a', 'b']], None)]:
    q = tf.FIFOQueue(5, types, shapes)
    r = tf.IdentityReader()
    try:
        read = r.read(q)
        with tf.Session() as sess:
            sess.run(q.enqueue(values))
            print(sess.run(read))
    except Exception as e:
        print(type(e).__name__, ' '.join(str(getattr(e, 'message', e)).splitlines()[-2:]))

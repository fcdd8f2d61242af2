# TF1
import os
import tempfile
import numpy as np
import tensorflow as tf
R = tf.raw_ops
F = tf.float32
config = tf.ConfigProto(graph_options=tf.GraphOptions(rewrite_options=dict(disable_meta_optimizer=True)))
folder = tempfile.mkdtemp()


def plain(text):
    lines = text.split('\n')
    at = [i for i, line in enumerate(lines) if line.startswith('\t [[')]
    return (lines[at[0] - 1] if at else lines[-1]).replace(folder, '<folder>')


def show(what, make):
    """Runs what |make| makes, in a graph of 2015."""
    old = tf.GraphDef()
    old.versions.producer = 10
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        tf.import_graph_def(old)
        try:
            made = make()
            print(what, '->', str(session.run(made)).split('\n'), getattr(made, 'shape', ''))
        except Exception as error:
            print(what, type(error).__name__, plain(str(error)))


def any_shape(value):
    return tf.placeholder_with_default(value, None)


def audio(tensor, tag='a', rate=8000., most=3):
    return R.AudioSummary(tag=tag, tensor=tensor, sample_rate=rate, max_outputs=most)


show('audio', lambda: audio([[.5, -.25], [2., .125]]))
show('audio channels', lambda: audio([[[.5, .25]], [[.5, .25]]], most=1))
show('audio rank', lambda: audio(any_shape([.5])))
show('audio rate', lambda: audio([[.5]], rate=0.))
show('audio tag', lambda: audio([[.5]], any_shape(['a', 'b'])))

for dtype in F, tf.bool, tf.string, tf.resource, tf.variant:
    show('fake', lambda: tf.shape(R.FakeParam(dtype=dtype, shape=[2, 3])))
for shape in None, [], [None], [None, 3], [0]:
    show('fake', lambda: [tf.shape(R.FakeParam(dtype=F, shape=shape)), tf.constant(str(R.FakeParam(dtype=F, shape=shape).shape))])
show('fake texts', lambda: R.FakeParam(dtype=tf.string, shape=[2]))

for name, values in {'f': np.arange(6, dtype=np.float32), 'e': np.array([], np.float32)}.items():
    values.tofile(os.path.join(folder, name))


def file_constant(shape=(2, 3), dtype=F, name='f'):
    return R.ImmutableConst(dtype=dtype, shape=shape, memory_region_name=os.path.join(folder, name))


show('constant', file_constant)
show('constant part', lambda: file_constant([2, 2]))
show('constant none', lambda: file_constant([0, 2]))
show('constant scalar', lambda: file_constant(None))
show('constant int', lambda: file_constant([6], tf.int32))
show('constant long', lambda: file_constant([2, 4]))
show('constant open', lambda: file_constant([None, 2]))
show('constant text', lambda: file_constant([6], tf.string))
show('constant handle', lambda: file_constant([6], tf.resource))
show('constant variant', lambda: file_constant([6], tf.variant))
show('no file', lambda: file_constant(name='g'))
show('no file', lambda: file_constant(dtype=tf.string, name='g'))
show('folder', lambda: file_constant(name=''))
show('empty file', lambda: file_constant(name='e'))
show('empty file', lambda: file_constant([0], name='e'))


def changed():
    """Each run reads the file."""
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        value = file_constant([2])
        for number in 1., 2.:
            np.array([number, 7.], np.float32).tofile(os.path.join(folder, 'f'))
            print('changed', session.run(value))


changed()


def lines():
    """A reader of old counts records and files apart."""
    path = os.path.join(folder, 'lines')
    with open(path, 'w') as file:
        file.write('a\nb\nc\n')
    old = tf.GraphDef()
    old.versions.producer = 10
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        tf.import_graph_def(old)
        queue, reader = R.FIFOQueue(component_types=[tf.string]), R.TextLineReader()
        session.run(R.QueueEnqueueMany(handle=queue, components=[[path, path]]))
        one = R.ReaderRead(reader_handle=reader, queue_handle=queue)
        counts = R.ReaderNumRecordsProduced(reader_handle=reader), R.ReaderNumWorkUnitsCompleted(reader_handle=reader)
        for _ in range(5):
            print(session.run(one).value, session.run(counts))


lines()

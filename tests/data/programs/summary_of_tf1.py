import os, tempfile, warnings
import numpy as np
import tensorflow as tf

old, folder = tf.compat.v1.summary, tempfile.mkdtemp()
warnings.simplefilter('always')


def told(call):
    with warnings.catch_warnings(record=True) as seen:
        print(call(), [str(each.message)[:90] for each in seen])


told(lambda: len(old.scalar('a', 1.).numpy()) > 0)
writer = tf.summary.create_file_writer(folder)
with writer.as_default():
    told(lambda: len(old.scalar('a', 1.).numpy()) > 0)
with writer.as_default(step=3):
    told(lambda: old.scalar('a', 1.))
    with tf.name_scope('outer'):
        told(lambda: old.histogram('h', [1., 2.], family='f'))
        told(lambda: old.text('t', tf.constant('words')))
    told(lambda: old.image('i', np.zeros([1, 2, 2, 3], np.float32)))
    told(lambda: old.audio('s', tf.zeros([1, 8]), 8000))

    @tf.function
    def work(x):
        old.scalar('traced', x)

    work(tf.constant(2.))
writer.close()
name, = os.listdir(folder)
for event in tf.compat.v1.train.summary_iterator(os.path.join(folder, name)):
    for value in event.summary.value:
        print(event.step, value.tag, value.metadata.plugin_data.plugin_name, tf.make_ndarray(value.tensor).shape)

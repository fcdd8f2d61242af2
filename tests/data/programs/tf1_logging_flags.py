# TF1
import logging
import sys
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer('batch', 32, 'Batch size.')
flags.DEFINE_string('name', 'model', 'Name.')
flags.DEFINE_boolean('debug', False, 'Debug?')
flags.DEFINE_float('rate', 0.1, 'Rate.')
flags.DEFINE_enum('kind', 'a', ['a', 'b'], 'Kind.')
flags.DEFINE_list('items', ['x', 'y'], 'Items.')
FLAGS = flags.FLAGS


def main(argv):
    print(FLAGS.batch, FLAGS.name, FLAGS.debug, FLAGS.rate, FLAGS.kind, FLAGS.items, len(argv))
    FLAGS.batch = 64
    print(FLAGS.batch, 'batch' in FLAGS)
    try:
        FLAGS.kind = 'c'
    except Exception as e:
        print(type(e).__name__, e)
    try:
        print(FLAGS.unknown)
    except AttributeError as e:
        print('AttributeError', e)
    tf.logging.set_verbosity(tf.logging.INFO)
    print(tf.logging.get_verbosity(), tf.logging.DEBUG, tf.logging.WARN, tf.logging.ERROR, tf.logging.FATAL)
    handler = logging.StreamHandler(sys.stdout)
    logging.getLogger('tensorflow').addHandler(handler)
    tf.logging.info('step %d of %s', 3, 'ten')
    tf.logging.debug('hidden')
    tf.logging.warn('careful')
    tf.logging.error('bad %s', [1])
    tf.logging.log(tf.logging.INFO, 'plain %s', 'log')
    tf.logging.log_every_n(tf.logging.INFO, 'every %d', 2, 1)
    with tf.Session() as sess:
        print(sess.run(tf.constant(FLAGS.batch)))


if __name__ == '__main__':
    tf.app.run()

# TF1
import os, tempfile
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
folder = tempfile.mkdtemp()


def attempt(call):
    try:
        call()
        print('fine')
    except Exception as error:
        print(type(error).__name__, str(error).replace(folder, '').split(' {')[0][:160])


with tf.Graph().as_default(), tf.Session() as sess:
    with tf.variable_scope('old'):
        a = tf.get_variable('a', initializer=[1., 2.])
        b = tf.get_variable('b', initializer=3.)
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(sess, os.path.join(folder, 'model'))

for source in (path, folder):
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope('new'):
            a = tf.get_variable('a', [2], initializer=tf.zeros_initializer(), use_resource=True)
            b = tf.get_variable('b', [])
        other = tf.get_variable('other', [], initializer=tf.zeros_initializer())
        tf.train.init_from_checkpoint(source, {'old/': 'new/'})
        print(b.initial_value, b.initializer.name, a.initializer.name)
        tf.train.init_from_checkpoint(source, {'old/b': other})
        sess.run(tf.global_variables_initializer())
        print(sess.run([a, b, other]))
        attempt(lambda: tf.train.init_from_checkpoint(source, {'old/c': a}))
        attempt(lambda: tf.train.init_from_checkpoint(source, {'old/b': a}))
        attempt(lambda: tf.train.init_from_checkpoint(source, {'old': 'new/'}))
        attempt(lambda: tf.train.init_from_checkpoint(source, {'split/': 'new/'}))
        attempt(lambda: tf.train.init_from_checkpoint('/no/such', {'old/b': a}))

with tf.Graph().as_default(), tf.Session() as sess:
    with tf.variable_scope('old'):
        a = tf.get_variable('a', [2])
        b = tf.get_variable('b', [], trainable=False, initializer=tf.zeros_initializer())
    tf.train.init_from_checkpoint(path, [('old/a', 'old/a')])
    sess.run(tf.global_variables_initializer())
    print(sess.run([a, b]))

for wanted, names in (('.*', {'mine/x': 'old/a', 'mine/y': 'old/b'}), (['mine/y'], {'mine/y': 'old/b'}),
                      ('mine/y', {'mine/y': 'old/b'}), ('.*', {'mine/z': 'old/a'}), (3, None), ([3], None), ('none', None)):
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope('mine'):
            x = tf.get_variable('x', [2], initializer=tf.ones_initializer())
            y = tf.get_variable('y', [], initializer=tf.ones_initializer())
        attempt(lambda: tf.train.warm_start(path, wanted, var_name_to_prev_var_name=names))
        sess.run(tf.global_variables_initializer())
        print(sess.run([x, y]))
attempt(lambda: tf.train.VocabInfo('a', 3, 0, 'b', axis=2))
print(tf.train.VocabInfo('a', 3, 0, 'b'))

import os
import sys
import tempfile
import textwrap

folder = tempfile.mkdtemp()
with open(os.path.join(folder, 'helper.py'), 'w') as f:
    f.write(textwrap.dedent('''
        import tensorflow as tf
        if tf.__version__ < '2':
            Session = tf.Session
        else:
            Session = tf.compat.v1.Session
        def total(values):
            return tf.reduce_sum(values)
    '''))
sys.path.insert(0, folder)
import helper
import tensorflow as tf

print(helper.total([1, 2]), tf.executing_eagerly())
with tf.Graph().as_default(), helper.Session() as sess:
    print(sess.run(helper.total([3, 4])))

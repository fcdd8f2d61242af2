# TF1
# Variables whose rows or columns are words begin with what an older checkpoint has for the same words.
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
with open(os.path.join(folder, 'old'), 'w') as file:
    file.write('a\nb\nc\nd\n')
with open(os.path.join(folder, 'new'), 'w') as file:
    file.write('c\nx\na\nb\ne\n')
path = os.path.join(folder, 'ck')

with tf.Graph().as_default(), tf.Session() as session:
    tf.get_variable('rows', initializer=np.arange(12, dtype='f').reshape(4, 3))
    tf.get_variable('columns', initializer=np.arange(8, dtype='f').reshape(2, 4))
    tf.get_variable('plain', initializer=np.float32([1, 2, 3]))
    session.run(tf.global_variables_initializer())
    tf.train.Saver().save(session, path)


def start(name, shape, count=5, parts=None, prev=None, what='.*', used=None, resource=False, **more):
    kind = {'partitioner': tf.fixed_size_partitioner(parts)} if parts else {}
    with tf.Graph().as_default() as graph, tf.Session() as session:
        made = tf.get_variable(name, shape, initializer=tf.zeros_initializer(), use_resource=resource, **kind)
        plain = tf.get_variable('plain', [3], initializer=tf.zeros_initializer(), use_resource=resource)
        info = tf.train.VocabInfo(new_vocab=os.path.join(folder, 'new'), new_vocab_size=count,
                                  num_oov_buckets=more.pop('buckets', 0), old_vocab=os.path.join(folder, 'old'), **more)
        try:
            tf.train.warm_start(path, what, {used or name: info}, prev)
            session.run(tf.global_variables_initializer())
            print(session.run([tf.convert_to_tensor(made), plain]))
        except ValueError as error:
            print(error)
        print([(node.name, node.op, list(node.input)) for node in graph.as_graph_def().node
               if not node.name.startswith((name, 'plain'))])


start('rows', [5, 3])
start('rows', [5, 3], resource=True)
start('rows', [3, 3], count=3)
start('rows', [5, 3], backup_initializer=tf.ones_initializer(), old_vocab_size=2)
start('rows', [6, 3], buckets=1, backup_initializer=tf.ones_initializer())
start('rows', [5, 3], parts=2, backup_initializer=tf.ones_initializer())
start('rows', [7, 3], parts=3, buckets=2, backup_initializer=tf.ones_initializer())
start('columns', [2, 5], axis=1)
start('columns', [2, 7], axis=1, buckets=2, backup_initializer=tf.ones_initializer())
start('others', [5, 3], prev={'others': 'rows'})
start('rows', [5, 3], what=None)
start('rows', [5, 3], what=['rows'])
start('rows', [6, 3])
start('columns', [2, 4], used='nothing')

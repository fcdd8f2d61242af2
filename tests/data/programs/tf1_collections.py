# TF1
import tensorflow as tf

tf.add_to_collection('losses', tf.constant(1., name='l1'))
tf.add_to_collection('losses', tf.constant(2., name='l2'))
tf.add_to_collections(['losses', 'other'], tf.constant(3., name='l3'))
print([t.name for t in tf.get_collection('losses')], tf.get_collection('none'))
print(tf.get_collection('losses', scope='l[12]'))
total = tf.add_n(tf.get_collection('losses'), name='total')
ref = tf.get_collection_ref('other')
ref.append('anything')
print(tf.get_collection('other'))
g = tf.get_default_graph()
v = tf.Variable(1., name='v')
with tf.variable_scope('s'):
    w = tf.get_variable('w', [1], collections=['mine', tf.GraphKeys.GLOBAL_VARIABLES])
print([x.name for x in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='s')], tf.get_collection('mine'))
print(sorted(g.get_all_collection_keys()))
print(tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.LOSSES, tf.GraphKeys.UPDATE_OPS, tf.GraphKeys.GLOBAL_STEP)
g.clear_collection('losses')
print(tf.get_collection('losses'))
with tf.Session() as sess:
    print(sess.run(total))
with tf.Graph().as_default():
    print(tf.get_collection('other'), tf.trainable_variables())

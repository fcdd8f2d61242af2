# TF1
import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self, n_in, n_out):
        self.x = tf.placeholder(tf.float32, [None, n_in], name='x')
        with tf.variable_scope('linear'):
            self.w = tf.get_variable('w', [n_in, n_out], initializer=tf.constant_initializer(0.5))
            self.b = tf.get_variable('b', [n_out], initializer=tf.zeros_initializer)
        self.logits = tf.nn.xw_plus_b(self.x, self.w, self.b, name='logits')
        self.probs = tf.nn.softmax(self.logits)
        self.pred = tf.argmax(self.logits, 1)

    def predict(self, sess, data):
        return sess.run([self.probs, self.pred], feed_dict={self.x: data})


m = Model(3, 2)
print(m.logits, m.pred)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(m.b.assign([0., 1.]))
    probs, pred = m.predict(sess, [[1, 2, 3], [0, 0, 0]])
    print(np.round(probs, 4), pred, pred.dtype)
    correct = tf.equal(m.pred, tf.placeholder(tf.int64, [None], name='y'))
    acc = tf.reduce_mean(tf.cast(correct, tf.float32))
    print(sess.run(acc, {m.x: np.zeros((4, 3)), 'y:0': [1, 1, 0, 1]}))
    for v in tf.trainable_variables():
        print(v.name, v.shape.as_list(), int(np.prod(v.shape.as_list())))

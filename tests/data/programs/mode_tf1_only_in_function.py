# TF1
import tensorflow as tf

a = tf.constant(3.0, name='a')
b = tf.constant(4.0)
c = a * b
print(a, c)


def run(tensor):
    with tf.Session() as sess:
        return sess.run(tensor)


class Model(object):
    def __init__(self):
        self.w = tf.Variable(2.0, name='w')
        self.y = self.w * 2


model = Model()
print(model.w, run(c))
print([op.name for op in tf.get_default_graph().get_operations()])

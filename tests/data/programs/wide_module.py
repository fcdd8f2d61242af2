import tensorflow as tf

class Dense(tf.Module):
    def __init__(self, n_in, n_out, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([n_in, n_out]), name='w')
        self.b = tf.Variable(tf.zeros([n_out]), name='b', trainable=False)
    @tf.Module.with_name_scope
    def __call__(self, x):
        self.last = tf.Variable(1.0, name='late')
        return tf.nn.relu(x @ self.w + self.b)

class Seq(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Dense(3, 2), Dense(2, 1, name='final')]
        self.table = {'k': Dense(1, 1)}
    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

s = Seq()
print(s(tf.constant([[1., 2., 3.]])))
print([v.name for v in s.variables])
print([v.shape for v in s.trainable_variables], len(s.non_trainable_variables))
print([m.name for m in s.submodules], s.name, s.name_scope)
print(s.layers[0].last.name)
try:
    tf.Module(name='not valid')
except ValueError as e:
    print(e)

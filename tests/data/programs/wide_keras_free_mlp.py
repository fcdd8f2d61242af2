import tensorflow as tf

class MLP(tf.Module):
    def __init__(self, sizes):
        super().__init__(name='mlp')
        init = tf.random_normal_initializer(stddev=0.1, seed=1)
        self.params = []
        for i, (m, n) in enumerate(zip(sizes, sizes[1:])):
            self.params.append((tf.Variable(init([m, n]), name=f'w{i}'), tf.Variable(tf.zeros(n), name=f'b{i}')))

    @tf.function
    def __call__(self, x):
        for w, b in self.params[:-1]:
            x = tf.nn.tanh(tf.matmul(x, w) + b)
        w, b = self.params[-1]
        return tf.matmul(x, w) + b

net = MLP([4, 8, 2])
out = net(tf.ones([3, 4]))
print(out.shape, [v.name for v in net.trainable_variables], len(net.variables))
print(tf.reduce_all(out[0] == out[1]).numpy())
try:
    net(tf.ones([3, 5]))
except ValueError as e:
    print(str(e).split('\n')[-1] or str(e).split('\n')[-2])
print(tf.zeros_initializer()([2]), tf.ones_initializer()([1], dtype=tf.int32), tf.constant_initializer([1, 2])([2], dtype=tf.float32))
print(init_repr := tf.random_normal_initializer(1., 2.).get_config())
print(tf.initializers.GlorotUniform if hasattr(tf.initializers, 'GlorotUniform') else None) if False else print('ok')

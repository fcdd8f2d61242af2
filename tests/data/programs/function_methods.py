import functools

import tensorflow as tf


class Dense(tf.Module):
    def __init__(self, in_features, out_features, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([in_features, out_features]), name="w")
        self.b = tf.Variable(tf.zeros([out_features]), name="b")

    @tf.function
    def __call__(self, x):
        return tf.nn.relu(x @ self.w + self.b)


d = Dense(3, 2)
print(d(tf.ones([1, 3])))
print(d.name, [v.name for v in d.variables], d.trainable_variables)
e = Dense(2, 1, name="other")
print(e(tf.ones([1, 2])), e.name, e.name_scope.name)
print(Dense.__call__.experimental_get_tracing_count(), d.__call__.experimental_get_tracing_count())


@tf.function
def kw(a, *args, b=1, **kwargs):
    return a + sum(args) + b + sum(kwargs.values())


print(kw(tf.constant(1)), kw(tf.constant(1), tf.constant(2), 3, b=4, c=5))
part = tf.function(functools.partial(lambda x, y: x - y, y=1))
print(part(tf.constant(5)))
print(tf.function(lambda x: x + 1)(tf.constant(1)))
compiled = tf.function(lambda x, y=3: x * y, autograph=False)
print(compiled(tf.constant(2)), compiled(tf.constant(2), y=tf.constant(4)))
print(kw.__name__, kw.__wrapped__.__name__, kw.name if hasattr(kw, "name") else None)
with tf.init_scope():
    print(tf.executing_eagerly())
print(tf.function(lambda: tf.executing_eagerly())(), tf.inside_function(), tf.function(lambda: tf.inside_function())())

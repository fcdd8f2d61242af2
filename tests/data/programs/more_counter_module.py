import tensorflow as tf

class Counter(tf.Module):
    def __init__(self):
        self.n = tf.Variable(0, dtype=tf.int64)
        self.history = []

    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def add(self, k):
        self.n.assign_add(k)
        return self.n

    @tf.function
    def describe(self, verbose=False):
        if verbose:
            return tf.strings.format('count is {}', self.n)
        return tf.strings.as_string(self.n)

c = Counter()
print(c.add(tf.constant(2, tf.int64)), c.add(3))
print(c.describe(), c.describe(verbose=True))
print(c.add.experimental_get_tracing_count(), c.describe.experimental_get_tracing_count())
print(c.variables)
d = Counter()
print(d.add(1), c.n.numpy())
try:
    c.add('x')
except Exception as e:
    print(type(e).__name__, str(e)[:80])
try:
    c.add(tf.constant(1.))
except Exception as e:
    print(type(e).__name__, str(e)[:80])

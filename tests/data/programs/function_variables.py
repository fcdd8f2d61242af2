import tensorflow as tf


class Count(tf.Module):
    def __init__(self):
        self.count = None

    @tf.function
    def __call__(self):
        if self.count is None:
            self.count = tf.Variable(0)
        return self.count.assign_add(1)


c = Count()
print(c())
print(c())
print(c.count, c.variables)


@tf.function
def f(x):
    v = tf.Variable(1.0)
    return v.assign_add(x)


try:
    f(1.0)
except ValueError as e:
    print("ValueError:", str(e).splitlines()[0])


class Lazy:
    v = None

    @tf.function
    def scale(self, x):
        if self.v is None:
            self.v = tf.Variable(x * 2.0)
        return self.v * x


lazy = Lazy()
print(lazy.scale(tf.constant(2.0)), lazy.v)
print(lazy.scale(tf.constant(3.0)), lazy.v)
v = tf.Variable(1.0)


@tf.function
def step(x):
    v.assign_add(x)
    v.assign(v * 2)
    return v.read_value(), v + 1


print(step(tf.constant(3.0)), v)
print(step(tf.constant(3.0)), v)

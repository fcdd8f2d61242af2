import tensorflow as tf


@tf.function
def chain(x):
    c = tf.ones([3, 3]) * 0.5
    for _ in range(3):
        c = tf.matmul(c, c) + 0.25
    return x + tf.reduce_sum(c)


print(chain(tf.constant(1.)).numpy(), chain(tf.constant(2.)).numpy())


@tf.function
def fails(x):
    bad = tf.constant(5) // tf.constant(0)
    return x + bad


try:
    print(fails(tf.constant(1)))
except (tf.errors.InvalidArgumentError, ValueError) as e:
    print(type(e).__name__, [line for line in e.message.splitlines() if line and 'File' not in line])


v = tf.Variable(0)


@tf.function
def counts():
    v.assign_add(tf.constant(2) * tf.constant(3))
    return v.read_value()


print(counts().numpy(), counts().numpy(), counts().numpy())
r = tf.function(lambda: tf.random.uniform([]) + 0.)
print(r().numpy() != r().numpy())

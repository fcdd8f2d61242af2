import tensorflow as tf

@tf.function
def f(x, y):
    return tf.matmul(x, y)

@tf.function
def outer(x):
    return inner(x) + 1

@tf.function
def inner(x):
    return tf.reshape(x, [3, -1])

@tf.function
def gather(i):
    return tf.gather([1, 2, 3], i)

for call in (lambda: f(tf.ones([2, 3]), tf.ones([2, 3])), lambda: outer(tf.range(7)), lambda: gather(tf.constant(5))):
    try:
        print(call())
    except Exception as e:
        lines = str(e).split('\n')
        print(type(e).__name__, lines[0], lines[-1], len(lines))

@tf.function
def raises(x):
    raise KeyError('from python')
try:
    raises(1)
except KeyError as e:
    print('KeyError', e)

@tf.function(autograph=False)
def branches(x):
    if x > 0:
        return x
    return -x
try:
    branches(tf.constant(1))
except Exception as e:
    print(type(e).__name__, e)

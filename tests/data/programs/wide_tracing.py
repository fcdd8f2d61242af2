import tensorflow as tf

@tf.function
def f(x):
    print('Tracing', x)
    tf.print('Executing', x)
    return x + 1

print(f(tf.constant(1)))
print(f(tf.constant(2)))
print(f(tf.constant([1.0, 2.0])))
print(f(3), f(3), f(4))
print(f.experimental_get_tracing_count())
print(f.get_concrete_function(tf.TensorSpec([None], tf.float32)))
print(f.pretty_printed_concrete_signatures())
g = f.get_concrete_function(tf.TensorSpec([], tf.int32))
print(g(tf.constant(8)))
try:
    g(tf.constant(1.0))
except Exception as e:
    print(type(e).__name__, e)
try:
    g()
except Exception as e:
    print(type(e).__name__, e)
try:
    f()
except Exception as e:
    print(type(e).__name__, e)

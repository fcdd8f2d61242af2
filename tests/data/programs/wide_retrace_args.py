import tensorflow as tf

count = 0
@tf.function(reduce_retracing=False)
def f(x, training=False, *, scale=1):
    global count
    count += 1
    return x * scale if training else x

for args, kw in (((1,), {}), ((1,), {'training': True}), ((tf.constant(1),), {}), ((tf.constant(1),), dict(scale=3)),
                 ((tf.constant(1),), dict(training=False)), ((tf.constant([1, 2]),), {}), ((tf.constant([1, 2, 3]),), {}),
                 (('s',), {}), ((None,), {}), (([1, 2],), {}), (([tf.constant(1), 2],), {}), (({'a': tf.constant(1)},), {})):
    r = f(*args, **kw)
    print(count, r)
for bad in (lambda: f(), lambda: f(1, 2, 3), lambda: f(1, other=3), lambda: f({1: set([2])})):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
print(f.__name__, f.input_signature, f.function_spec.arg_names if hasattr(f, 'function_spec') else '')

import tensorflow as tf

@tf.function
def fib(n):
    def body(i, a, b):
        return i + 1, b, a + b
    return tf.while_loop(lambda i, a, b: i < n, body, (tf.constant(0), tf.constant(0, tf.int64), tf.constant(1, tf.int64)))[1]

for n in (0, 1, 10, 50):
    print(n, fib(tf.constant(n)).numpy())
print(fib.experimental_get_tracing_count())
primes = tf.boolean_mask(tf.range(2, 30), tf.map_fn(lambda n: tf.reduce_all(tf.not_equal(n % tf.range(2, tf.maximum(n, 3)), 0)) | (n <= 3), tf.range(2, 30), fn_output_signature=tf.bool))
print(primes)
@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def norm(v):
    return tf.sqrt(tf.reduce_sum(v * v))
print(norm(tf.constant([3., 4.])), norm([6., 8.]))
for bad in (lambda: norm(tf.constant([[1.]])), lambda: norm(tf.constant([1])), lambda: norm(1.), lambda: norm()):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)

import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


attempt(lambda: tf.random.stateless_uniform([2, 3], seed=(1, 2)))
attempt(lambda: tf.random.stateless_uniform([2, 3], seed=(1, 2)))
attempt(lambda: tf.random.stateless_normal([5], seed=[3, 4]))
attempt(lambda: tf.random.stateless_normal([2], seed=[3, 4], mean=10.0, stddev=0.5, dtype=tf.float64))
attempt(lambda: tf.random.stateless_truncated_normal([4], seed=[7, 8]))
attempt(lambda: tf.random.stateless_uniform([5], seed=[1, 1], minval=0, maxval=10, dtype=tf.int32))
attempt(lambda: tf.random.stateless_uniform([3], seed=[1, 1], minval=-100, maxval=100, dtype=tf.int64))
attempt(lambda: tf.random.stateless_uniform([3], seed=[1, 1], minval=None, maxval=None, dtype=tf.int32))
attempt(lambda: tf.random.stateless_uniform([3], seed=[5, 6], dtype=tf.float16))
attempt(lambda: tf.random.stateless_normal([3], seed=[5, 6], dtype=tf.bfloat16))
attempt(lambda: tf.random.stateless_uniform([3], seed=[5, 6], alg="philox"))
attempt(lambda: tf.random.stateless_uniform([3], seed=[5, 6], alg="threefry"))
attempt(lambda: tf.random.stateless_uniform([3], seed=[5, 6], alg=tf.random.Algorithm.PHILOX))
attempt(lambda: tf.random.stateless_uniform([3], seed=[5, 6], alg="what"))
attempt(lambda: tf.random.stateless_uniform([3], seed=5))
attempt(lambda: tf.random.stateless_uniform([3], seed=[1, 2, 3]))
attempt(lambda: tf.random.stateless_uniform([3], seed=[1, 2], dtype=tf.int32))
attempt(lambda: tf.random.stateless_uniform([3], seed=[1, 2], minval=5, maxval=5, dtype=tf.int32))
attempt(lambda: tf.random.stateless_uniform([-3], seed=[1, 2]))
attempt(lambda: tf.random.split([1, 2], num=3))
attempt(lambda: tf.random.fold_in([1, 2], 5))
attempt(lambda: tf.random.experimental.stateless_split([1, 2]))
attempt(lambda: tf.function(lambda s: tf.random.stateless_uniform([2], seed=s))(tf.constant([9, 9])))

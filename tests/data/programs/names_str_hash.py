import tensorflow as tf

words = tf.constant(['cat', 'dog', 'a longer sentence with more than thirty-two bytes in it', ''])
print(tf.strings.to_hash_bucket_fast(words, 100))
print(tf.strings.to_hash_bucket_strong(words, 1000, [1, 2]))
print(tf.strings.to_hash_bucket(words, 50))
print(tf.strings.to_hash_bucket_fast(tf.strings.as_string(tf.range(5)), 3))
long = tf.strings.join(['x' * 70, 'y' * 100])
print(tf.strings.to_hash_bucket_fast(long, 2**40), tf.strings.to_hash_bucket(long, 2**40))
try:
    tf.strings.to_hash_bucket_fast(words, 0)
except Exception as e:
    print(type(e).__name__, e)

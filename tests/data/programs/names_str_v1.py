# TF1
import tensorflow as tf

s = tf.constant(['a b', 'c d e', ''])
tokens = tf.string_split(s)
print(tokens)
dense = tf.sparse_tensor_to_dense(tokens, default_value='')
joined = tf.reduce_join(dense, 1, separator='|')
sub = tf.substr(s, 0, 0)
num = tf.string_to_number(['1', '2.5'])
bucket = tf.string_to_hash_bucket_fast(['x', 'y'], 10)
replaced = tf.regex_replace(s, ' ', '_')
length = tf.strings.length(s)
print(num, bucket, replaced, length)
with tf.Session() as sess:
    for t in (tokens, dense, joined, sub, num, bucket, replaced, length):
        print(sess.run(t))

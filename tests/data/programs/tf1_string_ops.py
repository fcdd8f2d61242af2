# TF1
import tensorflow as tf

s = tf.constant(['Hello World', 'tensor flow', ''])
sess = tf.InteractiveSession()
print(tf.string_split(s).values.eval())
sp = tf.string_split(['a b', 'c'])
print(sp.indices.eval(), sp.dense_shape.eval(), sess.run(sp))
print(tf.substr(s, 0, 3).eval())
print(tf.string_length(s).eval() if hasattr(tf, 'string_length') else tf.strings.length(s).eval())
print(tf.regex_replace(s, 'o', '0').eval())
print(tf.string_join(['a', 'b', 'c'], separator='-').eval())
print(tf.reduce_join([['a', 'b'], ['c', 'd']], 0).eval(), tf.reduce_join([['a', 'b']], 1, separator='+').eval())
print(tf.strings.lower(s).eval(), tf.strings.upper(s).eval(), tf.string_strip([' a ', 'b\n']).eval())
print(tf.encode_base64('hello').eval(), tf.decode_base64('aGVsbG8').eval())
print(tf.as_string([1.5, 2.25], precision=1).eval(), tf.as_string([True]).eval(), tf.as_string(7, width=4, fill='0').eval())
print(tf.string_to_number('12', tf.int32).eval())
print(tf.string_to_hash_bucket(['a', 'b'], 7).eval(), tf.string_to_hash_bucket_strong(['a'], 7, [1, 2]).eval())
try:
    print(tf.string_to_number('x1').eval())
except tf.errors.InvalidArgumentError as e:
    print(e.message.splitlines()[-1] if 'StringToNumberOp' in e.message.splitlines()[-1] else e.message)
print(tf.decode_raw('abcd', tf.uint8).eval())

import tensorflow as tf

print(tf.strings.to_number(['1', '2.5', ' -3e2 ', 'inf']))
print(tf.strings.to_number('42', tf.int32))
print(tf.strings.to_number('123456789012', out_type=tf.int64))
print(tf.strings.to_number(['0.1'], tf.float64))
for bad, kind in (('abc', tf.float32), ('1.5', tf.int32), ('99999999999', tf.int32), ('', tf.float32)):
    try:
        print(tf.strings.to_number(bad, kind))
    except tf.errors.InvalidArgumentError as e:
        print(e)
print(tf.strings.as_string([1, 2]), tf.strings.as_string([1.5, 2], precision=2))
print(tf.strings.as_string([True, False]))
print(tf.strings.as_string(3.14159, scientific=True), tf.strings.as_string(7, width=5, fill='0'))

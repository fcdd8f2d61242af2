import tensorflow as tf

rows = ['1,2.5,hello', '3,,"wor,ld"', ',7.25,']
a, b, c = tf.io.decode_csv(rows, record_defaults=[[0], [1.0], ['none']])
print(a)
print(b)
print(c)
print(tf.io.decode_csv('1|2', [tf.constant([], tf.int32), tf.constant([5])], field_delim='|'))
print(tf.io.decode_csv(['4,5,6'], [[0.0]] * 2, select_cols=[0, 2]))
for bad in ('1', 'x,2', ',2'):
    try:
        tf.io.decode_csv([bad], [tf.constant([], tf.int32), [0]])
    except tf.errors.InvalidArgumentError as e:
        print(e)

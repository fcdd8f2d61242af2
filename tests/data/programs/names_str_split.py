import tensorflow as tf

r = tf.strings.split('hello big world')
print(r)
rt = tf.strings.split(['hello world', 'a b c'])
print(rt)
print(rt.to_list(), rt.shape)
print(rt.to_tensor())
print(tf.strings.split(['a,b,,c', ''], sep=','))
print(tf.strings.split('a,b,c', ',', maxsplit=1))
print(rt.row_lengths(), rt.values, rt.row_splits)
for row in rt:
    print(row)
text = tf.strings.split('1,2,3', ',')
print(tf.strings.to_number(text))

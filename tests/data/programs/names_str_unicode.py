import tensorflow as tf

text = tf.constant('语言处理')
print(text)
print(tf.strings.unicode_decode(text, input_encoding='UTF-8'))
print(tf.strings.unicode_encode([35821, 35328], output_encoding='UTF-8'))
print(tf.strings.length(text, unit='UTF8_CHAR').numpy())
batch = [s.encode('UTF-8') for s in ['hÃllo', 'What is the weather', 'Göödnight', '😊']]
chars = tf.strings.unicode_decode(batch, 'UTF-8')
for row in chars.to_list():
    print(row)
print(chars.to_tensor(default_value=-1).shape)
print(tf.strings.unicode_split('thanks 😊', 'UTF-8').numpy())
print(tf.strings.unicode_transcode(['a', b'\xff'], 'UTF-8', 'UTF-16-BE'))
points, offsets = tf.strings.unicode_decode_with_offsets('aé😊', 'UTF-8')
print(points, offsets)

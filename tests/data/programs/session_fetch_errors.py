# TF1
import tensorflow as tf

a = tf.constant(1.0, name='a')
other = tf.Graph()
with other.as_default():
    b = tf.constant(2.0, name='b')
sess = tf.Session()
for fetch in [None, [None], [a, None], 'nope', 'nope:0', 'a:1', 'a:0:0', '', 5, 2.5, {'k': None}, b, b.op, object,
              {1, 2}, [[a, 'zzz']], True, b'a:0']:
    try:
        print(sess.run(fetch))
    except Exception as e:
        text = str(e)
        print(type(e).__name__ + ':', text.replace(str(object), 'object'))
sess.close()
try:
    sess.run(a)
except RuntimeError as e:
    print('closed:', e)

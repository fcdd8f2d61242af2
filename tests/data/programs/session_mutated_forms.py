# TF1
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')
y = x + 1.
z = x * 2.
fetch = [y]
feed = {x: [1, 2]}
values = [1., 2.]
with tf.Session() as sess:
    print(sess.run(fetch, feed))
    fetch.append(z)
    feed[x] = np.array([3.])
    print(sess.run(fetch, feed))
    fetch[0] = {'y': y}
    print(sess.run(fetch, feed))
    for i in range(3):
        values.append(float(i))
        print(sess.run(y, {x: values}))
    a, b = sess.run([y, y], feed)
    a[0] = 100.
    print(a, b, a is b)
    arr = np.zeros(2, np.float32)
    r = sess.run(tf.identity(x), {x: arr})
    r[0] = 5.
    print(arr, r)
    fed = sess.run(x, {x: arr})
    fed[1] = 9.
    print(arr, fed is arr)
    arr[:] = 7.
    print(r, sess.run(y, {x: arr}))
    c = tf.constant([1., 2.])
    first = sess.run(c)
    first[0] = -1.
    print(sess.run(c))

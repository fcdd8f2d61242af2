import tensorflow as tf


def build():
    x = tf.compat.v1.placeholder(tf.float32, [2])
    return x, tf.reduce_sum(x)


def main():
    print(tf.executing_eagerly())
    tf.compat.v1.disable_eager_execution()
    x, total = build()
    print(total)
    with tf.compat.v1.Session() as sess:
        print(sess.run(total, feed_dict={x: [1., 2.]}))


if __name__ == '__main__':
    main()

import tensorflow as tf

flags = tf.compat.v1.flags
flags.DEFINE_integer('steps', 3, 'How many.')
flags.DEFINE_string('name', 'net', 'What.')
FLAGS = flags.FLAGS


def main(argv):
    print(len(argv), FLAGS.steps, FLAGS.name, tf.executing_eagerly())
    for step in range(FLAGS.steps):
        print(tf.constant(step) * 2)


if __name__ == '__main__':
    tf.compat.v1.app.run(main)

# TF1
# One of several variables, chosen by a number: what is read and changed is the variable itself.
import tensorflow as tf

one = tf.Variable([1., 2.], use_resource=False, name='one')
other = tf.Variable([3., 4., 5.], use_resource=False, name='other')
empty = tf.Variable([0.], use_resource=False, name='empty')
index = tf.placeholder(tf.int32)


def choose(*variables):
    return tf.raw_ops.RefSelect(index=index, inputs=[variable._ref() for variable in variables])


chosen = choose(one, other)
print(chosen.dtype, chosen.shape, choose(one, one).shape)
with tf.Session() as session:
    session.run([one.initializer, other.initializer])

    def show(fetches, at=0):
        try:
            print(session.run(fetches, {index: at}))
        except tf.errors.OpError as error:
            print(type(error).__name__, [line for line in error.message.splitlines() if 'ndex' in line or 'empty' in line])

    for at in (0, 1, 2, -1, [0]):
        show(chosen, at)
    more = tf.raw_ops.AssignAdd(ref=chosen, value=[10., 10.])
    show(more)
    show([one, other])
    show(tf.raw_ops.Assign(ref=chosen, value=[7., 7.], validate_shape=False), 1)
    show([one, other])
    show(choose(one, empty))
    show(choose(one, empty), 1)
    show(tf.identity(chosen) + 1)
    with tf.control_dependencies([more]):
        after = tf.identity(chosen)
    show([after, one])

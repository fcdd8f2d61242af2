# TF1
"""What is read of a variable after an update that had to wait, by way of a constant that waits for the update."""
import tensorflow as tf

with tf.Graph().as_default():
    v = tf.Variable(1., name='v')
    queue = tf.FIFOQueue(3, tf.float32, shapes=())
    put = queue.enqueue_many(([10., 20., 30.],))
    update = tf.assign_add(v, queue.dequeue())
    with tf.control_dependencies([update]):
        filled = tf.fill([2], v)
        shifted = tf.constant([1., 2.]) + v
    doubled = filled * 2. + shifted
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(put)
        print(session.run(filled))
        print(session.run([filled, shifted]))
        print(session.run(doubled))

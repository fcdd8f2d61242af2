# TF1
import tensorflow as tf

names = tf.train.string_input_producer(['a.txt', 'b.txt', 'c.txt'], shuffle=False, num_epochs=2)
item = names.dequeue()
ranges = tf.train.range_input_producer(3, shuffle=False)
both = tf.train.batch([item, ranges.dequeue()], batch_size=2)
print(both)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        for _ in range(10):
            print(sess.run(both))
    except tf.errors.OutOfRangeError as e:
        print('done', type(e).__name__)
    finally:
        coord.request_stop()
    coord.join(threads)
print(coord.should_stop())
print([v.name for v in tf.local_variables()])
print(len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))

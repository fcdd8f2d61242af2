# TF1
import os, tempfile
import tensorflow as tf

with tf.Session() as sess:
    with tf.name_scope('in'):
        tf.summary.audio('sound', tf.constant([[0., .5, -.5]]), 8000, max_outputs=1, family='f')
        tf.summary.text('words', tf.constant(['a', 'b']))
        tf.summary.tensor_summary('whole', tf.constant([[1, 2]]), 'all of it', display_name='shown')
        try:
            tf.summary.text('numbers', tf.constant(1.))
        except ValueError as error:
            print(error)
    for tensor in tf.get_collection(tf.GraphKeys.SUMMARIES):
        print(tensor, [t.name for t in tensor.op.inputs])
        print(tf.Summary.FromString(sess.run(tensor)))
    merged = tf.Summary.FromString(sess.run(tf.summary.merge_all()))
    print([value.tag for value in merged.value])

folder = tempfile.mkdtemp()
with tf.Graph().as_default(), tf.compat.v2.summary.create_file_writer(folder, name='made').as_default() as writer:
    step = tf.Variable(0, dtype=tf.int64, trainable=False)
    with tf.compat.v2.summary.record_if(tf.equal(step % 2, 0)):
        wrote = tf.compat.v2.summary.scalar('even', 2.5, step=step)
    print(tf.summary.all_v2_summary_ops() == [wrote], writer._resource.op.name, writer.init().name)
    more, last, flush = step.assign_add(1), writer.close(), writer.flush()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.summary.initialize(graph=tf.get_default_graph())
        for _ in range(3):
            print(sess.run(wrote), sess.run(more))
        sess.run(flush)
        sess.run(last)
for name in os.listdir(folder):
    for event in tf.train.summary_iterator(os.path.join(folder, name)):
        print(event.step, event.WhichOneof('what'),
              [(value.tag, tf.make_ndarray(value.tensor).tolist()) for value in event.summary.value])

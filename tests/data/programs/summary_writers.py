import os, tempfile
import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split(' [Op:')[0].split('}} ')[-1][:120])


def show():
    for name in sorted(os.listdir(folder)):
        print(name.split('.')[:3], name.split('.')[-1])
        for event in tf.compat.v1.train.summary_iterator(os.path.join(folder, name)):
            for value in event.summary.value:
                about, kind = value.metadata, value.WhichOneof('value')
                what = tf.make_ndarray(value.tensor) if kind == 'tensor' else value.simple_value
                if about.plugin_data.plugin_name == 'images':
                    what = [tf.io.decode_png(item).shape for item in what[2:]]
                if about.plugin_data.plugin_name == 'graph_run_metadata_graph':
                    data = tf.compat.v1.RunMetadata.FromString(what.item())
                    ops = {node.op for graph in data.function_graphs for node in graph.pre_optimization_graph.node}
                    what = sorted(ops & {'MatMul', 'Mul'})
                print(event.step, value.tag, kind, np.array(what).tolist(), repr(about.plugin_data.plugin_name),
                      about.plugin_data.content, repr(about.summary_description))


writer = tf.summary.create_file_writer(folder, filename_suffix='.end')
with writer.as_default():
    for step in range(2):
        attempt(lambda: tf.summary.scalar('loss', 1 / (1 + step), step=step, description='what is left'))
        tf.summary.histogram('weights', np.arange(40, dtype=np.float32) * step, step=step, buckets=5)
        tf.summary.text('note', f'step **{step}**', step=step)
        tf.summary.image('seen', np.linspace(0, 1, 2 * 4 * 4 * 3, dtype=np.float32).reshape(2, 4, 4, 3), step=step)
        tf.summary.audio('tone', np.sin(np.arange(8, dtype=np.float32)).reshape(1, 8, 1), 8000, step=step)
    tf.summary.histogram('none', [], step=1, buckets=2)
    tf.summary.histogram('no buckets', [1., 2.], step=1, buckets=0)
    tf.summary.text('table', tf.constant([['a', 'b'], ['c', 'd']]), step=1)
    tf.summary.image('bytes', np.arange(12, dtype=np.uint8).reshape(2, 2, 3, 1), step=1, max_outputs=1)
    with tf.name_scope('outer'):
        tf.summary.scalar('in ner!', 3, step=5)
    for condition in (False, True, lambda: tf.constant(False), tf.constant(True)):
        with tf.summary.record_if(condition):
            attempt(lambda: (tf.summary.should_record_summaries(), tf.summary.scalar('some', 3, step=5)))
    attempt(lambda: tf.summary.scalar('x', 1.))
    attempt(lambda: tf.summary.scalar('x', [1., 2.], step=1))
    attempt(lambda: tf.summary.scalar('x', 1., step=[1, 2]))
    attempt(lambda: tf.summary.text('x', 1., step=1))
    attempt(lambda: tf.summary.image('x', [[1.]], step=1))
    attempt(lambda: tf.summary.audio('x', [[[1.]]], 8000, step=1, encoding='mp3'))
    tf.summary.experimental.set_step(7)
    tf.summary.scalar('seven', 1.)
    count = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def work(x):
        tf.summary.scalar('traced', x * 2, step=count)
        tf.summary.histogram('spread', [x, x + 1], step=count, buckets=2)
        with tf.summary.record_if(count > 1):
            tf.summary.scalar('late', x, step=count)
        return count.assign_add(1)

    for i in range(3):
        work(tf.constant(float(i)))
    tf.summary.write('raw', tf.constant([1, 2]), step=3, metadata=b'')
    message = tf.compat.v1.Summary(value=[dict(tag='message', simple_value=4.)]).SerializeToString()
    tf.summary.experimental.write_raw_pb(message, step=8)
    tf.summary.experimental.write_raw_pb([message, message], step=9)
    tf.summary.trace_on()

    @tf.function
    def product(x):
        return tf.matmul(x, x) * 2.

    product(tf.ones([2, 2]))
    tf.summary.trace_export('trace', step=0)
    attempt(lambda: tf.summary.trace_export('trace', step=0))
    attempt(lambda: tf.summary.graph(product.get_concrete_function(tf.TensorSpec([2, 2])).graph))
    attempt(lambda: tf.summary.graph(3))
attempt(lambda: tf.summary.scalar('nobody', 1., step=1))
tf.summary.experimental.set_step(None)
with writer.as_default(step=4):
    tf.summary.scalar('four', 1.)
    print(tf.summary.experimental.get_step())
print(tf.summary.experimental.get_step())
writer.close()
writer.close()
attempt(lambda: writer.flush())
for method in (writer.as_default, writer.init, writer.set_as_default):
    try:
        method()
    except RuntimeError as error:
        print(str(error)[-17:])
with tf.summary.create_noop_writer().as_default():
    attempt(lambda: tf.summary.scalar('x', 1, step=1))
attempt(lambda: tf.summary.create_file_writer(None))
attempt(lambda: tf.summary.flush(3))
show()

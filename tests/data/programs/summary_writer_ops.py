import os, tempfile
import tensorflow as tf

raw, folder = tf.raw_ops, tempfile.mkdtemp()


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split(' [Op:')[0].split('}} ')[-1])


# Without any resource, errors say that there is none at all.
raw.CreateSummaryFileWriter(writer=raw.SummaryWriter(shared_name='two'), logdir=tempfile.mkdtemp(), max_queue=1,
                            flush_millis=9, filename_suffix='')
writer = raw.SummaryWriter(shared_name='one')
attempt(lambda: raw.FlushSummaryWriter(writer=writer))
attempt(lambda: raw.WriteScalarSummary(writer=writer, step=3, tag='s', value=tf.constant(2.5)))
attempt(lambda: raw.CreateSummaryFileWriter(writer=writer, logdir=[folder], max_queue=1, flush_millis=9, filename_suffix=''))
attempt(lambda: raw.CreateSummaryFileWriter(writer=writer, logdir='/proc/x', max_queue=1, flush_millis=9,
                                            filename_suffix=''))
path = os.path.join(folder, 'a', 'b')
attempt(lambda: raw.CreateSummaryFileWriter(writer=writer, logdir=path, max_queue=9, flush_millis=9, filename_suffix='x'))
attempt(lambda: raw.CreateSummaryFileWriter(writer=writer, logdir=path, max_queue=9, flush_millis=9, filename_suffix='y'))
red = tf.constant([255, 0, 0, 255], tf.uint8)
for value in (tf.constant(2.5), tf.constant(7, tf.int64), tf.constant([4], tf.int16), tf.constant(.5, tf.half)):
    raw.WriteScalarSummary(writer=writer, step=3, tag='s', value=value)
for values in ([1., 2., 3.], [True, False, True], tf.constant([], tf.float32), tf.constant([-5, 300])):
    raw.WriteHistogramSummary(writer=writer, step=3, tag='h', values=values)
raw.WriteImageSummary(writer=writer, step=3, tag='i', tensor=tf.zeros([2, 2, 2, 3], tf.uint8), bad_color=red)
raw.WriteImageSummary(writer=writer, step=3, tag='i', tensor=tf.ones([2, 2, 2, 1]), bad_color=red, max_images=1)
raw.WriteAudioSummary(writer=writer, step=3, tag='a', tensor=[[0., .5, -.5, 1., -1., 2.]], sample_rate=44100.)
raw.WriteAudioSummary(writer=writer, step=3, tag='a', tensor=[[[0., .5], [-.5, 1.]]], sample_rate=8000., max_outputs=1)
about = tf.compat.v1.SummaryMetadata(display_name='x').SerializeToString()
for value, metadata in (([[1., 2.]], b''), (['a', 'b', ''], about), (tf.constant([], tf.int32), b'')):
    raw.WriteSummary(writer=writer, step=-1, tensor=value, tag='t', summary_metadata=metadata)
message = tf.compat.v1.Summary(value=[dict(tag='q', simple_value=2)]).SerializeToString()
raw.WriteRawProtoSummary(writer=writer, step=4, tensor=[message, b'', message])
graph = tf.compat.v1.GraphDef(versions=dict(producer=4)).SerializeToString()
raw.WriteGraphSummary(writer=writer, step=5, tensor=graph)
event = tf.compat.v1.Event(step=9, wall_time=1.5, summary=dict(value=[dict(tag='im', simple_value=2)]))
raw.ImportEvent(writer=writer, event=event.SerializeToString())
attempt(lambda: raw.WriteRawProtoSummary(writer=writer, step=4, tensor='\xff\xff'))
attempt(lambda: raw.WriteRawProtoSummary(writer=writer, step=4, tensor=['', '\xff\xff']))
attempt(lambda: raw.WriteGraphSummary(writer=writer, step=4, tensor='\xff\xff'))
attempt(lambda: raw.ImportEvent(writer=writer, event='\xff\xff'))
attempt(lambda: raw.WriteHistogramSummary(writer=writer, step=3, tag='h', values=[1., float('nan')]))
attempt(lambda: raw.WriteHistogramSummary(writer=writer, step=3, tag='h', values=[1., float('inf')]))
attempt(lambda: raw.WriteImageSummary(writer=writer, step=3, tag='i', tensor=tf.zeros([2, 2, 2, 2]), bad_color=red))
attempt(lambda: raw.WriteImageSummary(writer=writer, step=3, tag='i', tensor=tf.zeros([2, 2, 2, 3]), bad_color=red[:2]))
attempt(lambda: raw.WriteImageSummary(writer=writer, step=3, tag='i', tensor=tf.zeros([2, 2, 2, 3]), bad_color=red[0]))
attempt(lambda: raw.WriteAudioSummary(writer=writer, step=3, tag='a', tensor=[[0.]], sample_rate=-1.))
attempt(lambda: raw.FlushSummaryWriter(writer=writer))
attempt(lambda: raw.CloseSummaryWriter(writer=writer))
attempt(lambda: raw.CloseSummaryWriter(writer=writer))
name, = os.listdir(path)
for event in tf.compat.v1.train.summary_iterator(os.path.join(path, name)):
    for image in event.summary.value:
        if image.WhichOneof('value') == 'image':
            pixels = tf.io.decode_png(image.image.encoded_image_string).numpy()
            image.image.encoded_image_string = bytes(pixels.reshape(-1).tolist())
    event.ClearField('wall_time')
    event.ClearField('source_metadata')
    print(event)

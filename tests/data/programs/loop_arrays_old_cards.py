# TF1
# GPUs: Tesla K40c*2
import re
import tensorflow as tf
R = tf.raw_ops
old = tf.GraphDef()
old.versions.producer = 10
tf.import_graph_def(old)


def old_loop(end, value):
    """Writes and reads in a loop, on the device of the array."""
    def op(name, **more):
        return getattr(R, name + end)(**more)

    handle = op('TensorArray', size=3, dtype=tf.float32)
    at_handle = tf.colocate_with(handle)

    def turn(i, flow):
        with at_handle:
            made = op('TensorArrayWrite', handle=handle, index=i, value=value * tf.cast(i, tf.float32), flow_in=flow)
            return i + 1, tf.ensure_shape(made, [])

    flow = tf.while_loop(lambda i, _: i < 3, turn, [0, 0.])[1]
    grad = op('TensorArrayGrad', handle=handle, flow_in=flow, source='s')
    more = op('TensorArrayWrite', handle=grad, index=1, value=value, flow_in=flow)
    more = op('TensorArrayWrite', handle=grad, index=1, value=value, flow_in=more)
    return (op('TensorArrayGather', handle=handle, indices=[2, 0], flow_in=flow, dtype=tf.float32),
            op('TensorArraySize', handle=handle, flow_in=flow),
            op('TensorArrayRead', handle=grad, index=1, flow_in=more, dtype=tf.float32), handle)


with tf.Session() as session:
    for end in '', 'V2':
        with tf.device('/gpu:1'):
            rows, size, slope, handle = session.run(old_loop(end, tf.constant([1., 2.])))
        print(rows.tolist(), size, slope.tolist(), handle.tolist()[0])
    with tf.device('/gpu:0'):
        handle = R.TensorArrayV2(size=1, dtype=tf.float32)
        flow = R.TensorArrayWriteV2(handle=handle, index=0, value=5., flow_in=0.)
        print(session.run(R.TensorArrayReadV2(handle=handle, index=0, flow_in=flow, dtype=tf.float32)))
    for device in '/gpu:1', '/cpu:0':
        with tf.device(device):
            read = R.TensorArrayReadV2(handle=handle, index=0, flow_in=flow, dtype=tf.float32)
        try:
            session.run(read)
        except tf.errors.NotFoundError as error:
            print(device, 'TensorArrayE does not exist' in str(error))

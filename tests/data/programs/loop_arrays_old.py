# TF1
import re
import tensorflow as tf
R = tf.raw_ops
F, I = tf.float32, tf.int32
config = tf.ConfigProto(graph_options=tf.GraphOptions(rewrite_options=dict(disable_meta_optimizer=True)))


def plain(text):
    lines = text.split('\n')
    at = [i for i, line in enumerate(lines) if line.startswith('\t [[')]
    text = lines[at[0] - 1] if at else lines[-1]
    return re.sub(r'(ta|__per_step)_\d+', r'\1_<n>', text)


def show(what, make):
    """Runs what |make| makes, in a graph of 2016."""
    old = tf.GraphDef()
    old.versions.producer = 10
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        tf.import_graph_def(old)
        try:
            made = make()
            print(what, '->', plain(repr(session.run(made))), getattr(made, 'shape', ''))
        except Exception as error:
            print(what, type(error).__name__, plain(str(error)))


class Array:
    """The ops of one generation."""

    def __init__(self, end, size=3, dtype=F, **more):
        self.end = end
        self.handle = self.op('TensorArray', size=size, dtype=dtype, tensor_array_name='ta', **more) if size is not None else None
        self.flow = 0.

    def op(self, name, **more):
        return getattr(R, name + self.end)(**more)

    def write(self, index, value):
        self.flow = self.op('TensorArrayWrite', handle=self.handle, index=index, value=value, flow_in=self.flow)
        return self

    def read(self, index, dtype=F):
        return self.op('TensorArrayRead', handle=self.handle, index=index, flow_in=self.flow, dtype=dtype)

    def gather(self, indices, shape=None, dtype=F):
        return self.op('TensorArrayGather', handle=self.handle, indices=indices, flow_in=self.flow, dtype=dtype, element_shape=shape)

    def scatter(self, indices, value):
        self.flow = self.op('TensorArrayScatter', handle=self.handle, indices=indices, value=value, flow_in=self.flow)
        return self

    def split(self, value, lengths):
        self.flow = self.op('TensorArraySplit', handle=self.handle, value=value, lengths=tf.constant(lengths, tf.int64), flow_in=self.flow)
        return self

    def concat(self, shape=None, dtype=F):
        return self.op('TensorArrayConcat', handle=self.handle, flow_in=self.flow, dtype=dtype, element_shape_except0=shape)

    def size(self):
        return self.op('TensorArraySize', handle=self.handle, flow_in=self.flow)

    def grad(self, source='s'):
        made = Array(self.end, None)
        made.handle = self.op('TensorArrayGrad', handle=self.handle, flow_in=self.flow, source=source)
        return made

    def unpack(self, value):
        self.flow = R.TensorArrayUnpack(handle=self.handle, value=value, flow_in=self.flow)
        return self

    def pack(self, shape=None, dtype=F):
        return R.TensorArrayPack(handle=self.handle, flow_in=self.flow, dtype=dtype, element_shape=shape)

    def after_close(self, use):
        with tf.control_dependencies([self.op('TensorArrayClose', handle=self.handle)]):
            return use(self)


def loop(array):
    """Writes in a loop, reads in another one."""
    def turn(i, flow):
        array.flow = flow
        return i + 1, tf.ensure_shape(array.write(i, tf.cast(i, F) * 2).flow, [])

    def sum_up(i, s):
        return i + 1, tf.ensure_shape(s + array.read(i), [])

    array.flow = tf.while_loop(lambda i, _: i < 3, turn, [0, 0.])[1]
    return tf.while_loop(lambda i, _: i < 3, sum_up, [0, tf.identity(array.flow) * 0.])[1]


ROWS = [[1., 2.], [3., 4.]]
for end in '', 'V2':
    def new(*given, **more):
        return Array(end, *given, **more)

    print('generation', end)
    show('handle', lambda: new().handle)
    show('handle twice', lambda: [tf.identity(new().handle), tf.size(new().handle), tf.shape(new().handle)])
    show('size', lambda: new().size())
    show('size -1', lambda: new(-1).size())
    show('size vector', lambda: new(tf.placeholder_with_default([3], None)).size())
    show('write', lambda: new().write(1, 7.).read(1))
    show('write string', lambda: new(dtype=tf.string).write(1, 'a').read(1, tf.string))
    show('write far', lambda: new().write(3, 7.).flow)
    show('write more', lambda: new(dynamic_size=True).write(9, 7.).size())
    show('write type', lambda: new().write(0, 7).flow)
    show('write twice', lambda: new().write(0, 7.).write(0, 8.).flow)
    show('write shape', lambda: new(element_shape=[2]).write(0, 7.).flow)
    show('read type', lambda: new().write(0, 7.).read(0, I))
    show('read far', lambda: new().read(3))
    show('read open', lambda: new().read(1))
    show('read zeros', lambda: new(element_shape=[2]).read(1))
    show('read twice', lambda: (lambda a: [a.read(0), tf.identity(a.read(0))])(new(clear_after_read=False).write(0, 7.)))
    show('gather', lambda: new().scatter([2, 0], ROWS).gather([0, 2]))
    show('gather none', lambda: new().gather(tf.zeros([0], I)))
    show('gather none', lambda: new().gather(tf.zeros([0], I), [2]))
    show('gather shape', lambda: new().scatter([2, 0], ROWS).gather([0, 2], [3]))
    show('scatter far', lambda: new().scatter([3], [1.]).flow)
    show('scatter more', lambda: new(dynamic_size=True).scatter([5], [1.]).size())
    show('concat', lambda: new(2).split([1., 2., 3.], [1, 2]).concat())
    show('concat empty', lambda: new(0).concat())
    show('concat scalars', lambda: new(1).write(0, 1.).concat())
    show('split far', lambda: new(2).split([1., 2., 3.], [1, 3]).flow)
    show('split count', lambda: new(3).split([1., 2., 3.], [1, 2]).flow)
    show('grad handle', lambda: new().grad().handle)
    show('grad', lambda: new().write(0, [1., 2.]).grad().write(0, [5., 6.]).write(0, [1., 1.]).read(0))
    show('grad zeros', lambda: new().write(0, [1., 2.]).grad().read(0))
    show('grad of grad', lambda: new().grad().grad().handle)
    show('grad size', lambda: new().write(0, [1., 2.]).grad().size())
    show('closed', lambda: new().write(0, 7.).after_close(lambda a: a.read(0)))
    show('closed', lambda: new().write(0, 7.).after_close(lambda a: a.size()))
    show('loop', lambda: loop(new()))
    show('slope', lambda: tf.gradients(new().write(0, x := tf.constant(1.)).read(0), x))
    show('slope', lambda: tf.gradients(new().scatter([0], x := tf.constant([1.])).flow, x))
    show('slope', lambda: tf.gradients(new().split(x := tf.constant([1.]), [1]).flow, x))
    show('slope', lambda: tf.gradients((a := new(1)).split(x := tf.constant([1.]), [1]).concat()[0], a.flow))
    show('slope', lambda: tf.gradients((a := new(1)).split(x := tf.constant([1.]), [1]).gather([0]), a.flow))

show('pack', lambda: Array('', 2).unpack(ROWS).pack())
show('pack shape', lambda: Array('', 2).unpack(ROWS).pack([3]))
show('pack empty', lambda: Array('', 0).pack())
show('pack empty', lambda: Array('', 0).pack([2]))
show('pack type', lambda: Array('', 2).unpack(ROWS).pack(dtype=I))
show('pack open', lambda: Array('', 3).write(0, 1.).pack())
show('unpack few', lambda: Array('', 2).unpack(ROWS[:1]).pack())
show('unpack few', lambda: Array('', 2, dynamic_size=True).unpack(ROWS[:1]).pack())
show('unpack more', lambda: Array('', 1, dynamic_size=True).unpack(ROWS).pack())
show('unpack more', lambda: Array('', 1).unpack(ROWS).pack())
show('unpack none', lambda: Array('', 0).unpack(tf.zeros([0, 2])).size())
show('unpack scalar', lambda: Array('', 1).unpack(1.).flow)
show('unpack type', lambda: Array('', 1).unpack([1]).flow)
show('unpack twice', lambda: Array('', 2).unpack(ROWS).unpack(ROWS).flow)
show('grad pack', lambda: Array('', 2).unpack(ROWS).grad().unpack(ROWS).unpack(ROWS).pack())


def texts(*parts):
    made = Array('V2', None)
    made.handle = tf.placeholder_with_default(list(parts), None)
    return made


def beside(make):
    with tf.control_dependencies([Array('V2').handle]):
        return make()


show('lost', lambda: texts('_tensor_arrays', 'x').size())
show('lost', lambda: beside(lambda: texts('_tensor_arrays', 'x').size()))
show('lost', lambda: texts('_tensor_arrays').size())
show('lost', lambda: texts('_tensor_arrays', 'x').grad().handle)
show('elsewhere', lambda: texts('x', 'y').grad().handle)


def by_text(end):
    """A reference, read as text, names the same array."""
    first, second = Array(end), Array('V2', None)
    second.handle = tf.identity(first.write(1, 5.).handle)
    second.flow = first.flow
    return second.read(1)


show('by text', lambda: by_text(''))
show('by text', lambda: by_text('V2'))
show('no reference', lambda: R.TensorArraySize(handle=Array('V2').handle, flow_in=0.))


def two_runs():
    """What one run has made the next one does not have."""
    old = tf.GraphDef()
    old.versions.producer = 10
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        tf.import_graph_def(old)
        handle = session.run(Array('V2').handle)
        session.run(texts(*handle).size())


def in_parts(end):
    """A run that is fed in parts is one run."""
    old = tf.GraphDef()
    old.versions.producer = 10
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        tf.import_graph_def(old)
        first, second, array = tf.placeholder(F), tf.placeholder(F), Array(end)
        size = array.write(0, first).size()
        part = session.partial_run_setup([size, array.write(1, second).flow, (rows := array.gather([1, 0]))], [first, second])
        print('part', session.partial_run(part, size, {first: 3.}))
        print('part', session.partial_run(part, [array.flow, rows], {second: 4.}))


try:
    two_runs()
except tf.errors.NotFoundError as error:
    print('two runs', plain(str(error)))
in_parts('')
in_parts('V2')
show('stack', lambda: tf.identity(R.Stack(elem_type=F, stack_name='ta')))
with tf.Graph().as_default():
    for op in 'TensorArray', 'TensorArrayV2', 'TensorArrayUnpack':
        try:
            R.TensorArrayUnpack(handle=tf.Variable(['', ''], use_resource=False)._ref(), value=ROWS, flow_in=0.) if op[-1] == 'k' else getattr(R, op)(size=3, dtype=F)
        except NotImplementedError as error:
            print(error)

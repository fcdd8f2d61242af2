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
    return re.sub(r'_\d+(?=:| has|@|\])', '_<n>', text)


def show(what, make):
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        try:
            print(what, '->', session.run(make()))
        except Exception as error:
            print(what, type(error).__name__, plain(str(error)))


def new(size=3, dtype=F, **more):
    return R.TensorArrayV3(size=size, dtype=dtype, tensor_array_name='ta', **more)


def write(a, i, v):
    return a[0], R.TensorArrayWriteV3(handle=a[0], index=i, value=v, flow_in=a[1])


def read(a, i, dtype=F):
    return R.TensorArrayReadV3(handle=a[0], index=i, flow_in=a[1], dtype=dtype)


def gather(a, i, shape=None, dtype=F):
    return R.TensorArrayGatherV3(handle=a[0], indices=i, flow_in=a[1], dtype=dtype, element_shape=shape)


def scatter(a, i, v):
    return a[0], R.TensorArrayScatterV3(handle=a[0], indices=i, value=v, flow_in=a[1])


def concat(a, shape=None, dtype=F):
    return R.TensorArrayConcatV3(handle=a[0], flow_in=a[1], dtype=dtype, element_shape_except0=shape)


def split(a, v, n):
    return a[0], R.TensorArraySplitV3(handle=a[0], value=v, lengths=tf.constant(n, tf.int64), flow_in=a[1])


def size(a):
    return R.TensorArraySizeV3(handle=a[0], flow_in=a[1])


def grad(a, source='gradients'):
    return R.TensorArrayGradV3(handle=a[0], flow_in=a[1], source=source)


def after(op, make):
    with tf.control_dependencies([op]):
        return make()


show('size', lambda: size(new()))
show('size vector', lambda: size(new([3])))
show('size -1', lambda: size(new(-1)))
show('flow', lambda: new()[1])
show('write', lambda: read(write(new(), 1, 7.), 1))
show('write far', lambda: write(new(), 3, 7.)[1])
show('write neg', lambda: write(new(dynamic_size=True), -1, 7.)[1])
show('write more', lambda: size(write(new(dynamic_size=True), 9, 7.)))
show('write type', lambda: write(new(), 0, 7)[1])
show('write vector', lambda: write(new(), [0], 7.)[1])
show('write twice', lambda: write(write(new(), 0, 7.), 0, 8.)[1])
show('write shape', lambda: write(new(element_shape=[2]), 0, tf.placeholder_with_default(7., None))[1])
show('write shapes', lambda: write(write(new(identical_element_shapes=True), 0, 7.), 1, [8.])[1])
show('read type', lambda: read(write(new(), 0, 7.), 0, I))
show('read far', lambda: read(new(), 3))
show('read neg', lambda: read(new(), -1))
show('read open', lambda: read(new(), 1))
show('read zeros', lambda: read(new(element_shape=[2]), 1))


def twice(**more):
    a = write(new(**more), 0, 7.)
    one = read(a, 0)
    return after(one, lambda: read(a, 0))


def rewritten(**more):
    a = write(new(**more), 0, 7.)
    one = read(a, 0)
    return after(one, lambda: write(a, 0, 1.)[1])


def closed(use):
    a = write(new(), 0, 7.)
    return after(R.TensorArrayCloseV3(handle=a[0]), lambda: use(a))


show('read twice', lambda: twice())
show('read twice', lambda: twice(clear_after_read=False))
show('read, write', lambda: rewritten())
show('read, write', lambda: rewritten(clear_after_read=False))
show('closed', lambda: closed(lambda a: read(a, 0)))
show('closed', lambda: closed(lambda a: write(a, 1, 0.)[1]))
show('closed', lambda: closed(size))
show('closed', lambda: closed(lambda a: gather(a, [0])))
show('closed', lambda: closed(lambda a: grad(a)[1]))
show('gather', lambda: gather(scatter(new(), [2, 0], [[1., 2.], [3., 4.]]), [0, 2]))
show('gather none', lambda: gather(new(), tf.zeros([0], I)))
show('gather none', lambda: gather(new(), tf.zeros([0], I), [2]))
show('gather shape', lambda: gather(scatter(new(), [2, 0], [[1., 2.], [3., 4.]]), [0, 2], [3]))
show('gather shapes', lambda: gather(write(write(new(), 0, 1.), 1, [2.]), [0, 1]))
show('gather far', lambda: gather(scatter(new(), [0], [1.]), [3]))
show('gather open', lambda: gather(scatter(new(), [0], [1.]), [0, 1]))
show('gather same', lambda: gather(scatter(new(identical_element_shapes=True), [0], [1.]), [0, 1]))
show('gather type', lambda: gather(scatter(new(), [0], [1.]), [0], dtype=I))
show('gather matrix', lambda: gather(scatter(new(), [0], [1.]), tf.placeholder_with_default([[0]], None)))
show('scatter far', lambda: scatter(new(), [3], [1.])[1])
show('scatter more', lambda: size(scatter(new(dynamic_size=True), [5], [1.])))
show('scatter rows', lambda: scatter(new(), [1, 0], [1.])[1])
show('scatter scalar', lambda: scatter(new(), [1, 0], tf.placeholder_with_default(1., None))[1])
show('scatter type', lambda: scatter(new(), [1], [1])[1])
show('scatter matrix', lambda: scatter(new(), tf.placeholder_with_default([[0]], None), [1.])[1])
show('concat', lambda: concat(split(new(2), [1., 2., 3.], [1, 2])))
show('concat empty', lambda: concat(new(0)))
show('concat empty', lambda: concat(new(0), [2]))
show('concat scalars', lambda: concat(write(new(1), 0, 1.)))
show('concat shapes', lambda: concat(write(write(new(2), 0, [[1.]]), 1, [[2., 3.]])))
show('concat shape', lambda: concat(split(new(2), [1., 2., 3.], [1, 2]), [2]))
show('concat type', lambda: concat(split(new(2), [1., 2., 3.], [1, 2]), dtype=I))
show('split far', lambda: split(new(2), [1., 2., 3.], [1, 3])[1])
show('split count', lambda: split(new(3), [1., 2., 3.], [1, 2])[1])
show('split more', lambda: size(split(new(0, dynamic_size=True), [1., 2., 3.], [1, 2])))
show('split scalar', lambda: split(new(1), tf.placeholder_with_default(1., None), [1])[1])
show('split type', lambda: split(new(2), [1, 2, 3], [1, 2])[1])
show('split matrix', lambda: split(new(2), [1., 2., 3.], [[1, 2]])[1])


def graded(use, **more):
    a = write(write(new(**more), 0, [1., 2.]), 1, [3.])
    g = grad(a)
    return use(a, g)


show('grad', lambda: graded(lambda a, g: read(write(g, 0, [5., 6.]), 0)))
show('grad zeros', lambda: graded(lambda a, g: read(g, 0)))
show('grad twice', lambda: graded(lambda a, g: read(write(write(write(g, 0, [5., 6.]), 0, [1., 1.]), 0, [.5, .5]), 0)))
show('grad shape', lambda: graded(lambda a, g: write(g, 0, [5.])[1]))
show('grad size', lambda: graded(lambda a, g: size(g)))
show('grad far', lambda: graded(lambda a, g: read(g, 2)))
show('grad far', lambda: graded(lambda a, g: read(g, 5)))
show('grad same', lambda: graded(lambda a, g: after(write(g, 0, [5., 6.])[1], lambda: read(grad(a), 0))))
show('grad other', lambda: graded(lambda a, g: after(write(g, 0, [5., 6.])[1], lambda: read(grad(a, 'more'), 0))))
show('grad of grad', lambda: graded(lambda a, g: grad(g)[1]))
show('grad of read', lambda: after(read((a := write(new(), 0, 1.)), 0), lambda: read(grad(a), 0)))
show('grad resized', lambda: graded(lambda a, g: after(g[1], lambda: write(a, 7, [5., 6.])[1]), dynamic_size=True))
show('grad rank', lambda: graded(lambda a, g: read(R.TensorArrayGradWithShape(
    handle=a[0], flow_in=a[1], shape_to_prepend=[2, 1], source='s'), 0)))


def stacked(use, most=-1, dtype=F):
    return use(R.StackV2(max_size=most, elem_type=dtype, stack_name='s'))


def push(s, v):
    return R.StackPushV2(handle=s, elem=v)


def pop(s, dtype=F):
    return R.StackPopV2(handle=s, elem_type=dtype)


show('push', lambda: stacked(lambda s: push(s, 1.)))
show('pop', lambda: stacked(lambda s: after(push(s, 1.), lambda: after(push(s, [2.]), lambda: pop(s)))))
show('pop empty', lambda: stacked(lambda s: pop(s)))
show('pop type', lambda: stacked(lambda s: after(push(s, 1.), lambda: pop(s, I))))
show('push type', lambda: stacked(lambda s: push(s, 1)))
show('push full', lambda: stacked(lambda s: after(push(s, 1.), lambda: push(s, 1.)), 1))
show('push none', lambda: stacked(lambda s: push(s, 1.), 0))
show('stack size', lambda: stacked(lambda s: push(s, 1.), [1]))
show('closed', lambda: stacked(lambda s: after(R.StackCloseV2(handle=s), lambda: push(s, 1.))))
show('closed', lambda: stacked(lambda s: after(R.StackCloseV2(handle=s), lambda: pop(s))))
show('a stack', lambda: size((R.StackV2(max_size=1, elem_type=F, stack_name='s'), 0.)))
show('list', lambda: R.TensorListReserve(element_shape=-1, num_elements=2, element_dtype=F))

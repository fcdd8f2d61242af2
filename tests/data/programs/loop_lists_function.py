"""Arrays in functions, which are lists there: values, errors, what is shared."""
import numpy as np
import tensorflow as tf
R = tf.raw_ops


def kinds(function, *args):
    """Prints the nodes on lists that a function has outside of its loops."""
    graph = function.get_concrete_function(*args).graph
    return sorted({op.type for op in graph.get_operations() if op.type.startswith(('TensorList', 'TensorArray'))})


@tf.function
def basics(x):
    ta = tf.TensorArray(tf.float32, size=3)
    ta = ta.unstack(x)
    other = ta.write(0, [9., 9.])
    third = other.write(0, [7., 7.])
    return ta.stack(), other.stack(), third.read(0), ta.read(0), ta.gather([2, 0]), other.concat(), ta.size()


for value in basics(tf.constant([[1., 2.], [3., 4.], [5., 6.]])):
    print(value)
print(kinds(basics, tf.TensorSpec([3, 2])))


@tf.function
def loop(n):
    ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    before = tf.TensorArray(tf.int32, size=n)

    def body(i, ta, before):
        ta = ta.write(i, i * i)
        before = tf.cond(i > 1, lambda: before.write(i, ta.read(i - 1)), lambda: before.write(i, -1))
        return i + 1, ta, before

    _, ta, before = tf.while_loop(lambda i, *_: i < n, body, (0, ta, before))
    kept = ta
    changed = ta.write(0, 100)
    return ta.stack(), before.stack(), kept.read(0), changed.read(0), ta.size()


for value in loop(5):
    print(value)


@tf.function
def nested(n):
    rows = tf.TensorArray(tf.float32, size=n, element_shape=[3])

    def row(i, rows):
        inner = tf.TensorArray(tf.float32, size=3)
        _, inner = tf.while_loop(lambda j, _: j < 3, lambda j, a: (j + 1, a.write(j, tf.cast(i + j, tf.float32))), (0, inner))
        return i + 1, rows.write(i, inner.stack())

    return tf.while_loop(lambda i, _: i < n, row, (0, rows))[1].stack()


print(nested(tf.constant(2)))


@tf.function
def shared():
    base = R.TensorListFromTensor(tensor=[1., 2., 3., 4.], element_shape=tf.zeros([0], tf.int32))

    def body(i, a, b):
        return i + 1, R.TensorListSetItem(input_handle=a, index=i, item=-1.), R.TensorListPushBack(input_handle=a, tensor=5.)

    _, a, b = tf.while_loop(lambda i, *_: i < 3, body, (0, base, base))
    read = lambda l: R.TensorListStack(input_handle=l, element_shape=tf.zeros([0], tf.int32), element_dtype=tf.float32)
    return read(base), read(a), read(b)


for value in shared():
    print(value)


@tf.function
def popped(n):
    stack = R.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.int32)
    _, stack = tf.while_loop(lambda i, _: i < n, lambda i, s: (i + 1, R.TensorListPushBack(input_handle=s, tensor=i)), (0, stack))

    def body(i, s, total):
        s, top = R.TensorListPopBack(input_handle=s, element_shape=-1, element_dtype=tf.int32)
        return i + 1, s, total * 10 + top

    return tf.while_loop(lambda i, *_: i < n, body, (0, stack, 0), shape_invariants=(
        tf.TensorShape([]), tf.TensorShape([]), tf.TensorShape(None)))[2]


print(popped(4))


@tf.function
def pieces(x, lengths):
    ta = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x, lengths)
    return ta.read(0), ta.read(1), ta.concat()


print([v.numpy().tolist() for v in pieces(tf.constant([1., 2., 3.]), [1, 2])])


@tf.function
def maps(x):
    return (tf.map_fn(lambda r: tf.reduce_sum(r), x), tf.scan(lambda a, r: a + r, x, reverse=True),
            tf.foldl(lambda a, r: a - r, x), tf.foldr(lambda a, r: a - r, x),
            tf.vectorized_map(lambda r: r * 2, x), tf.map_fn(lambda r: (r, 1), x, fn_output_signature=(tf.float32, tf.int32)))


print(tf.nest.map_structure(lambda v: v.numpy().tolist(), maps(tf.constant([[1., 2.], [3., 4.], [5., 6.]]))))


@tf.function
def wrong(case):
    ta = tf.TensorArray(tf.float32, size=2)
    if case == 0:
        return ta.write(2, 1.).stack()
    if case == 1:
        return ta.read(0)
    if case == 2:
        return ta.write(0, 1.).read(5)
    if case == 3:
        return ta.stack()
    return ta.unstack([[1.], [2.]]).write(0, [1., 2.]).stack()


for case in range(5):
    try:
        print(wrong(case))
    except Exception as error:
        lines = [line for line in str(error).split('\n') if line and not line.startswith(('\t', ' '))]
        print(type(error).__name__, lines[-1][:150])
print(np.asarray(tf.function(lambda: tf.TensorArray(tf.int64, 4).write(2, 7).stack())()))


@tf.function
def given():
    return tf.TensorArray(tf.float32, 2).write(1, 3.)


flow = given()
print(flow.dtype, R.TensorListStack(input_handle=flow, element_shape=tf.zeros([0], tf.int32), element_dtype=tf.float32))

import tensorflow as tf

rt = tf.ragged.constant([[1, 2, 3], [4]])
st = tf.SparseTensor([[0, 1], [1, 0]], [1., 2.], [2, 2])
for action in (lambda: rt[1], lambda: rt[0, 1], lambda: rt[5], lambda: tf.size(rt), lambda: tf.gather(rt, [1, 0]),
               lambda: tf.where(rt > 1, rt, 0), lambda: tf.RaggedTensor([1], [0, 1]), lambda: len(rt),
               lambda: tf.type_spec_from_value(rt), lambda: tf.type_spec_from_value(st), lambda: st + st,
               lambda: tf.switch_case(3, [lambda: 1]), lambda: tf.io.gfile.rmtree('nope'),
               lambda: tf.io.gfile.mkdir('.'), lambda: tf.io.gfile.remove('nope'), lambda: tf.io.read_file(5)):
    try:
        print(action())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
try:
    tf.reduce_sum(st)
except ValueError as e:
    print('sparse tensors are not reduced so')

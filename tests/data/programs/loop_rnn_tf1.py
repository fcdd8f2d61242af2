# TF1
"""Recurrent networks of TF1, with variables that are given."""
import numpy as np
import tensorflow as tf

try:
    cells = tf.nn.rnn_cell
    cells.LSTMCell
except (AttributeError, ModuleNotFoundError):
    from tensorflow.python.ops import rnn_cell_impl as cells


def fill(session):
    """Gives every variable numbers of its own, and prints its name."""
    for number, v in enumerate(tf.global_variables()):
        shape = v.shape.as_list()
        values = np.sin(np.arange(np.prod(shape)) * .7 + number).reshape(shape) * .5
        session.run(v.assign(values.astype(np.float32)))
        print(v.name, v.shape, v.dtype.name)


def show(label, value):
    print(label, np.round(np.asarray(value, np.float64), 4).tolist())


x = np.cos(np.arange(2 * 3 * 2) * .3).reshape(2, 3, 2).astype(np.float32)
makers = {
    'rnn': lambda: cells.BasicRNNCell(3),
    'gru': lambda: cells.GRUCell(3),
    'basic lstm': lambda: cells.BasicLSTMCell(3),
    'one state': lambda: cells.BasicLSTMCell(2, state_is_tuple=False, forget_bias=.5),
    'lstm': lambda: cells.LSTMCell(3, use_peepholes=True, cell_clip=.4, num_proj=2, proj_clip=.3),
    'multi': lambda: cells.MultiRNNCell([cells.BasicLSTMCell(2), cells.GRUCell(3)]),
    'residual': lambda: cells.ResidualWrapper(cells.BasicRNNCell(2)),
    'dropout': lambda: cells.DropoutWrapper(cells.GRUCell(2), input_keep_prob=1., output_keep_prob=1.),
}
for label, make in makers.items():
    for lengths in (None, [2, 3]):
        with tf.Graph().as_default(), tf.Session() as session:
            p = tf.placeholder(tf.float32, [None, None, 2])
            cell = make()
            outputs, state = tf.nn.dynamic_rnn(cell, p, lengths, dtype=tf.float32)
            print(label, outputs.shape, outputs.dtype, cell.state_size, cell.output_size)
            fill(session)
            show(label, session.run(outputs, {p: x}))
            for part in tf.nest.flatten(session.run(state, {p: x})):
                show('state', part)

with tf.Graph().as_default(), tf.Session() as session:
    inputs = [tf.constant(x[:, i]) for i in range(3)]
    cell = cells.BasicLSTMCell(2)
    outputs, state = tf.nn.static_rnn(cell, inputs, dtype=tf.float32)
    more, _ = tf.nn.static_rnn(cells.GRUCell(2), inputs, dtype=tf.float32, sequence_length=[1, 3], scope='more')
    both, (fw, bw) = tf.nn.bidirectional_dynamic_rnn(
        cells.GRUCell(2), cells.GRUCell(2), tf.constant(x), [3, 2], dtype=tf.float32)
    fill(session)
    show('static', session.run(outputs))
    show('lengths', session.run(more))
    show('both', session.run(both))
    show('last', session.run([fw, bw]))

with tf.Graph().as_default(), tf.Session() as session:
    cell = cells.BasicRNNCell(2)
    source = tf.TensorArray(tf.float32, 3).unstack(tf.transpose(tf.constant(x), [1, 0, 2]))
    lengths = tf.constant([2, 3])

    def loop_fn(time, output, state, loop_state):
        finished = time >= lengths
        state = cell.zero_state(2, tf.float32) if output is None else state
        given = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([2, 2]), lambda: source.read(time))
        return finished, given, state, output, None

    arrays, last, _ = tf.nn.raw_rnn(cell, loop_fn)
    outputs = arrays.stack()
    fill(session)
    show('raw', session.run(outputs))
    show('last', session.run(last))

for wrong in (lambda: tf.nn.dynamic_rnn(3, tf.zeros([1, 2, 3])),
              lambda: tf.nn.dynamic_rnn(cells.GRUCell(2), tf.zeros([1, 2, 3])),
              lambda: tf.nn.static_rnn(cells.GRUCell(2), tf.zeros([1, 2, 3])),
              lambda: tf.nn.static_rnn(cells.GRUCell(2), []),
              lambda: tf.nn.dynamic_rnn(cells.GRUCell(2), tf.placeholder(tf.float32, [None, None, None]), dtype=tf.float32),
              lambda: cells.MultiRNNCell([]), lambda: tf.nn.raw_rnn(cells.GRUCell(2), 3)):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error)[:150])

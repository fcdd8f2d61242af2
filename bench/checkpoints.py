"""Rows of saving and restoring, for Berth's package and TensorFlow's: same code."""

import functools
import os
import tempfile

import numpy as np
from python_side import Call, Open

# Tensors of a checkpoint, and floats of each.
LARGE = (8, 1 << 20)
SMALL = (1000, 64)


def saved(tf1, config, size: tuple[int, int]):
    """Returns a session, what saves and restores its variables, and a path."""
    count, floats = size
    values = [tf1.get_variable(f"v{i}", initializer=np.full([floats], i, np.float32)) for i in range(count)]
    session = tf1.Session(config=config)
    session.run(tf1.global_variables_initializer())
    return session, tf1.train.Saver(values, max_to_keep=1), os.path.join(tempfile.mkdtemp(), "model"), values[-1]


def open_save(tf1, config, size: tuple[int, int]) -> Call:
    """checkpoint_save_: all variables, over the checkpoint before."""
    with tf1.Graph().as_default():
        session, saver, path, _ = saved(tf1, config, size)

    def call(turn: int) -> None:
        with session.graph.as_default():
            saver.save(session, path, write_meta_graph=False, write_state=False)
    return call


def open_restore(tf1, config, size: tuple[int, int]) -> Call:
    """checkpoint_restore_: all variables; an element of the last is read."""
    with tf1.Graph().as_default():
        session, saver, path, last = saved(tf1, config, size)
        saver.save(session, path, write_meta_graph=False)
        first = session.make_callable(last[0])

    def call(turn: int) -> None:
        with session.graph.as_default():
            saver.restore(session, path)
        if first() != size[0] - 1:
            raise ValueError("another value came back")
    return call


def benches(tf, threads: int) -> dict[str, Open]:
    tf1 = tf.compat.v1
    config = tf1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    return {f"checkpoint_{verb}_{name}": functools.partial(opened, tf1, config, size)
            for verb, opened in (("save", open_save), ("restore", open_restore))
            for name, size in (("large", LARGE), ("small", SMALL))}

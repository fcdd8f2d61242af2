"""The side of the _python rows: Berth's package or TensorFlow's, same code.

    library_side.py berth|tensorflow THREADS
    library_side.py berth|tensorflow build|gradients COUNT

The second form builds a graph of COUNT additions once and prints the seconds.
"""

import functools
import os
import sys
import time
from collections.abc import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import flows  # noqa: E402
import checkpoints  # noqa: E402
import pipelines  # noqa: E402
import trainings  # noqa: E402
import numpy as np  # noqa: E402
from python_side import Call, Open, serve  # noqa: E402

CHAIN_NODES = 1000
# The forms of fetches and feeds that have rows of their own.
FORMS = ("dict", "nested", "lists", "float64", "names")
# Reading an eager result costs as much as making it: not every one is read.
EAGER_CHECK_EVERY = 64


def import_library(name: str):
    if name == "berth":
        # Eager calls and sessions in one process, as TensorFlow 2 has them.
        os.environ["BERTH_TF"] = "2"
        import berth
        return berth
    import tensorflow
    return tensorflow


def config(tf1, threads: int):
    """One thread pool of |threads|, and no optimisers."""
    found = tf1.ConfigProto(intra_op_parallelism_threads=threads,
                            inter_op_parallelism_threads=threads)
    found.graph_options.rewrite_options.disable_meta_optimizer = True
    found.graph_options.optimizer_options.opt_level = tf1.OptimizerOptions.L0
    return found


def matrices() -> tuple[list[np.ndarray], np.ndarray, list[float]]:
    """Two left factors, the right one, and the products' first elements."""
    left = [np.arange(i, i + 6, dtype=np.float32).reshape(2, 3)
            for i in (1, 2)]
    right = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    return left, right, [float((a @ right)[0, 0]) for a in left]


def check(found: float | str, expected: float | str) -> None:
    if found != expected:
        raise ValueError(f"got {found} instead of {expected}")


def open_session(tf, threads: int) -> Call:
    """session_run_small_python: both inputs fed, the result as an array."""
    tf1 = tf.compat.v1
    left, right, expected = matrices()
    with tf1.Graph().as_default():
        a = tf1.placeholder(tf.float32, [2, 3])
        b = tf1.placeholder(tf.float32, [3, 2])
        product = tf1.matmul(a, b)
        session = tf1.Session(config=config(tf1, threads))

    def call(turn: int) -> None:
        found = session.run(product, {a: left[turn & 1], b: right})
        check(found.item(0), expected[turn & 1])
    return call


class Forms:
    """The ways to ask for the fed product, each with where its first element is."""

    def __init__(self, tf1) -> None:
        left, right, self.expected = matrices()
        self.a = tf1.placeholder(tf1.float32, [2, 3], name="a")
        self.b = tf1.placeholder(tf1.float32, [3, 2], name="b")
        self.product = tf1.matmul(self.a, self.b, name="product")
        self.total = tf1.add(self.product, self.product)
        self.feeds = [{self.a: each, self.b: right} for each in left]
        self.lists = [{self.a: each.tolist(), self.b: right.tolist()} for each in left]
        self.wide = [{self.a: each.astype(np.float64), self.b: right.astype(np.float64)} for each in left]
        self.named = [{"a:0": each, "b:0": right} for each in left]

    def calls(self, run) -> dict[str, Callable[[int], np.ndarray]]:
        """By the name of the form: a run, and the product out of what it gives."""
        nested = {"both": [self.product, (self.total, self.product)], "deep": {"deeper": {"total": self.total}}}
        return {"dict": lambda turn: run({"product": self.product}, self.feeds[turn])["product"],
                "nested": lambda turn: run(nested, self.feeds[turn])["both"][1][1],
                "lists": lambda turn: run(self.product, self.lists[turn]),
                "float64": lambda turn: run(self.product, self.wide[turn]),
                "names": lambda turn: run("product:0", self.named[turn])}


def open_form(tf, threads: int, form: str) -> Call:
    """session_FORM_python: the product of session_run_small_python in another form."""
    tf1 = tf.compat.v1
    with tf1.Graph().as_default():
        forms = Forms(tf1)
        session = tf1.Session(config=config(tf1, threads))
    run = forms.calls(session.run)[form]

    def call(turn: int) -> None:
        check(run(turn & 1).item(0), forms.expected[turn & 1])
    return call


def open_strings(tf, threads: int) -> Call:
    """session_strings_python: a list of two texts, fed and fetched."""
    tf1 = tf.compat.v1
    values = [["first", "second"], ["third", "fourth"]]
    with tf1.Graph().as_default():
        texts = tf1.placeholder(tf.string, [None])
        same = tf1.identity(texts)
        session = tf1.Session(config=config(tf1, threads))

    def call(turn: int) -> None:
        found = session.run(same, {texts: values[turn & 1]})
        check(found[1].decode(), values[turn & 1][1])
    return call


def open_chain(tf, threads: int) -> Call:
    """chain_1000_python: additions of scalars, both inputs fed."""
    tf1 = tf.compat.v1
    ones = np.float32(1)
    starts = [np.float32(1), np.float32(2)]
    with tf1.Graph().as_default():
        start = node = tf1.placeholder(tf.float32, [])
        one = tf1.placeholder(tf.float32, [])
        for _ in range(CHAIN_NODES):
            node = tf1.add(node, one)
        session = tf1.Session(config=config(tf1, threads))

    def call(turn: int) -> None:
        found = session.run(node, {start: starts[turn & 1], one: ones})
        check(float(found), CHAIN_NODES + 1 + (turn & 1))
    return call


def open_eager(tf, matmul) -> Call:
    """eager_small_python, function_small_python: |matmul| of two eager tensors."""
    left, right, expected = matrices()
    lefts, b = [tf.constant(a) for a in left], tf.constant(right)

    def call(turn: int) -> None:
        found = matmul(lefts[turn & 1], b)
        if turn % EAGER_CHECK_EVERY < 2:
            check(float(found.numpy()[0, 0]), expected[turn & 1])
    return call


def build(tf, count: int) -> None:
    """Prints the seconds that building a chain of |count| nodes takes."""
    tf1 = tf.compat.v1
    with tf1.Graph().as_default() as graph:
        begin = time.perf_counter()
        node = tf1.placeholder(tf.float32, [])
        one = tf1.placeholder(tf.float32, [])
        for _ in range(count):
            node = tf1.add(node, one)
        seconds = time.perf_counter() - begin
    print(seconds, len(graph.get_operations()) - 2)


def benches(tf, threads: int) -> dict[str, Open]:
    forms = {f"session_{form}_python": functools.partial(open_form, tf, threads, form) for form in FORMS}
    return {"session_run_small_python": lambda: open_session(tf, threads),
            **forms,
            "session_strings_python": lambda: open_strings(tf, threads),
            "chain_1000_python": lambda: open_chain(tf, threads),
            "eager_small_python": lambda: open_eager(tf, tf.matmul),
            "function_small_python": lambda: open_eager(tf, tf.function(tf.matmul)),
            **flows.benches(tf, config(tf.compat.v1, threads)),
            **checkpoints.benches(tf, threads),
            **pipelines.benches(tf, threads),
            **trainings.benches(tf, threads)}


if __name__ == "__main__":
    library = import_library(sys.argv[1])
    if sys.argv[2] == "build":
        build(library, int(sys.argv[3]))
    elif sys.argv[2] == "gradients":
        trainings.differentiate(library, int(sys.argv[3]))
    else:
        serve(benches(library, int(sys.argv[2])))

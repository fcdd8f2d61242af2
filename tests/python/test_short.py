"""test_short.py - Eager calls do the same the short way, in the extension, and at length, in Python.

    test_short.py [SEED [COUNT]]    tries so many calls, for people

Calls of public functions, operators and indices with arguments at random, plain and odd, right and
wrong, are made twice: as they are, and where every call goes the long way. Types, shapes, bits,
devices, and the classes and texts of exceptions have to be the same.
"""

from __future__ import annotations

import contextlib
import operator
import random
import sys
import threading
import warnings
from typing import Any

import berth as tf
import numpy as np
import pytest
from berth import _core as core

CALLS_A_SEED = 400
DTYPES = ["float32", "float64", "int32", "int64", "uint8", "int8", "bool", "complex64", "float16", "string"]


# ---- Values ----

def array(rng: random.Random, dtype: str, shape: tuple[int, ...]) -> Any:
    """An array with numbers at random, odd ones among them."""
    count = int(np.prod(shape))
    if dtype == "string":
        return np.array([rng.choice(["", "a", "bcd", "\u00e9"]) for _ in range(count)], object).reshape(shape)
    if dtype == "bool":
        return np.array([rng.random() < 0.5 for _ in range(count)], bool).reshape(shape)
    odd = [0.0, -0.0, 1.0, -1.5, float("nan"), float("inf"), 1e30] if dtype.startswith(("f", "c")) else [0, 1, 2, 3]
    with np.errstate(over="ignore"):
        return np.array([rng.choice(odd) for _ in range(count)]).astype(dtype).reshape(shape)


def shape(rng: random.Random) -> tuple[int, ...]:
    """A shape; most fit one another."""
    return rng.choice([(), (2,), (3,), (2, 3), (3, 3), (1, 3), (2, 1), (0, 3), (2, 2, 3)])


def number(rng: random.Random) -> Any:
    """A number of Python's."""
    return rng.choice([0, 1, -1, 2, 7, 0.0, -0.0, 0.5, 1e10, 1e39, True, False, 2 ** 31, 2 ** 40, -2 ** 31, 2 ** 63,
                       float("nan"), float("inf"), 3 + 1j])


def nested(rng: random.Random, depth: int = 0) -> Any:
    """A list or tuple, mostly of one type and size."""
    kind = rng.choice([lambda: rng.choice([0, 1, 2, -1]), lambda: rng.choice([0.5, 1.0, -0.0]), lambda: rng.random() < 0.5,
                       lambda: rng.choice(["a", "bc", b"d"]), lambda: number(rng)])
    rows = rng.choice([0, 1, 2, 3, 3])
    if depth < 2 and rng.random() < 0.4:
        first = nested(rng, depth + 1)
        return [first] * rows if rng.random() < 0.8 else [nested(rng, depth + 1) for _ in range(rows)]
    row = [kind() for _ in range(rows)]
    return tuple(row) if rng.random() < 0.2 else row


class Maker:
    """Makes arguments; the same ones for both calls."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def tensor(self, dtype: str | None = None) -> Any:
        rng = self.rng
        kind = dtype or rng.choice(["float32"] * 6 + DTYPES)
        return tf.constant(array(rng, kind, shape(rng)))

    def anything(self) -> Any:
        rng = self.rng
        choice = rng.random()
        if choice < 0.55:
            return self.tensor()
        if choice < 0.7:
            return number(rng)
        if choice < 0.82:
            return nested(rng)
        if choice < 0.88:
            return array(rng, rng.choice(DTYPES), shape(rng))
        if choice < 0.94:
            return tf.Variable(array(rng, rng.choice(["float32", "int32"]), shape(rng)))
        return rng.choice([None, "text", b"bytes", [None], [self.tensor(), 1.0], np.float32(1.5), np.int64(3),
                           tf.TensorShape([2, 3]), object, range(3), [[1], [2, 3]], np.arange(6).reshape(2, 3).T])

    def axis(self) -> Any:
        rng = self.rng
        return rng.choice([None, 0, 1, -1, 5, [0], [0, 1], (1,), [], tf.constant(0), tf.constant([0, 1]), np.array(0),
                           "a", 0.5, True, np.int32(1), [[0]]])

    def dtype(self) -> Any:
        rng = self.rng
        return rng.choice([tf.float32, tf.int32, tf.float64, tf.bool, "float32", np.int64, None, tf.complex64, "nothing",
                           tf.string, int, 3])

    def flag(self) -> Any:
        return self.rng.choice([None, True, False, 0, 1, "yes"])

    def index(self) -> Any:
        rng = self.rng

        def one() -> Any:
            return rng.choice([0, 1, -1, 2, 9, slice(None), slice(1), slice(0, 2), slice(None, None, 2), slice(2, 0, -1),
                               slice(-1, None), Ellipsis, None, slice(None, None, 0), tf.constant(1), np.int64(1), True,
                               2 ** 40, 0.5, slice(0.5), "a"])
        return one() if rng.random() < 0.4 else tuple(one() for _ in range(rng.randint(0, 3)))


UNARY = ["abs", "exp", "sqrt", "square", "negative", "sign", "tanh", "sigmoid", "floor", "round", "identity",
         "zeros_like", "ones_like", "shape", "size", "rank", "nn.relu", "nn.softmax", "nn.elu", "math.log",
         "math.is_nan", "math.reciprocal", "convert_to_tensor", "constant", "math.softplus", "unstack", "stack",
         "math.logical_not", "nn.l2_loss", "math.rsqrt"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "pow", "equal", "not_equal", "less", "greater",
          "math.floordiv", "math.floormod", "math.squared_difference", "math.logical_and", "matmul", "math.truediv",
          "nn.bias_add", "math.multiply_no_nan", "math.atan2", "gather",
          "math.xlogy", "raw_ops.AddV2", "raw_ops.Mul"]
REDUCTIONS = ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_all", "reduce_any",
              "math.reduce_euclidean_norm"]
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
             operator.matmul, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
             operator.and_, operator.or_, operator.xor]


def find(name: str) -> Any:
    """Returns a public function."""
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    return found


def keywords(rng: random.Random, **values: Any) -> dict[str, Any]:
    """Some of the arguments, by name."""
    return {name: value for name, value in values.items() if rng.random() < 0.5}


def call_at_random(rng: random.Random) -> tuple[str, Any]:
    """A text and a function without parameters that makes one call."""
    make = Maker(rng)
    kind = rng.randint(0, 8)
    name = ""
    args: list[Any] = []
    named: dict[str, Any] = {}
    if kind == 0:
        name, args = rng.choice(UNARY), [make.anything()]
        named = keywords(rng, name="n") if rng.random() < 0.3 else {}
    elif kind == 1:
        name, args = rng.choice(BINARY), [make.anything(), make.anything()]
        if rng.random() < 0.15:  # What is large by a wrong number is left out.
            name = rng.choice(["broadcast_to", "reshape", "tile", "fill"])
            sizes = rng.choice([[2, 3], (3,), [], [-1], 3, [2.5], "a", tf.constant([2, 3]), None, [[2]], [True], [0, 3]])
            args[name != "fill"] = sizes
        if name.startswith("raw_ops"):
            args, named = [], dict(zip("xy", args))
    elif kind == 2:
        name, args = rng.choice(REDUCTIONS), [make.anything()]
        named = keywords(rng, axis=make.axis(), keepdims=make.flag(), name=rng.choice([None, "n"]))
    elif kind == 3:
        function = rng.choice(OPERATORS)
        left, right = make.anything(), make.anything()
        if rng.random() < 0.8:
            left = make.tensor()
            left, right = (left, right) if rng.random() < 0.6 else (right, left)
        return f"{function.__name__}({left!r}, {right!r})", lambda: function(left, right)
    elif kind == 4:
        left, index = make.tensor(), make.index()
        return f"{left!r}[{index!r}]", lambda: left[index]
    elif kind == 5:
        name, args = rng.choice(["concat", "stack", "math.add_n"]), [[make.tensor("float32") if rng.random() < 0.8 else
                                                                     make.anything() for _ in range(rng.randint(0, 3))]]
        args = [None] if rng.random() < 0.1 else args
        args += [] if name == "math.add_n" else [make.axis()] if rng.random() < 0.8 else []
    elif kind == 6:
        name, args = rng.choice(["transpose", "expand_dims", "squeeze", "argmax", "split", "cast", "cumsum"]), [
            make.anything()]
        args += [make.dtype()] if name == "cast" else [make.axis()] if rng.random() < 0.7 else []
    elif kind == 7:
        name, args = rng.choice(["zeros", "ones", "range", "one_hot", "pad", "clip_by_value", "where", "einsum"]), []
        args = {"zeros": lambda: [rng.choice([[2, 3], [], (0, 1), [2.5], ["a"], [[1]], 3, [tf.constant(2), 3], [-1]])], "ones": lambda: [rng.choice([[2, 3], 3, (1,), [tf.constant(2), 3]])],
                "range": lambda: [rng.choice([0, 3, -2, 0.5, True, tf.constant(4)]) for _ in range(rng.randint(1, 3))],
                "one_hot": lambda: [make.anything(), rng.choice([3, 0, -1, 2.5])],
                "pad": lambda: [make.anything(), rng.choice([[[1, 1]], [[0, 1], [1, 0]], [], [1]])],
                "clip_by_value": lambda: [make.anything(), number(rng), make.anything()],
                "where": lambda: [make.tensor("bool"), make.anything(), make.anything()],
                "einsum": lambda: [rng.choice(["ij,jk->ik", "ij->ji", "i,i", "ii->i", "ij,jk"]), make.anything(),
                                   make.anything()][:rng.randint(2, 3)]}[name]()
        named = keywords(rng, dtype=make.dtype()) if name in ("zeros", "ones", "one_hot") else {}
    else:
        name, args = rng.choice(["constant", "convert_to_tensor"]), [make.anything()]
        named = keywords(rng, dtype=make.dtype(), name="n")
    function = find(name)
    text = f"tf.{name}({', '.join(repr(a) for a in args)}, {named})"
    return text, lambda: function(*args, **named)


# ---- Outcomes ----

def shown(value: Any) -> Any:
    """What tells two results apart."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [shown(v) for v in value]
    if not isinstance(value, core.Tensor):
        return repr(value)
    values: Any = value
    data = values.numpy()
    bits = repr(data.tolist()) if data.dtype == object else data.tobytes() if hasattr(data, "tobytes") else data
    return "tensor", values.dtype.name, tuple(values.shape), values.device, values.backing_device, bits


def outcome(call: Any) -> Any:
    """What a call gives, or the exception it ends with."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return shown(call())
    except Exception as error:  # pylint: disable=broad-except
        return type(error).__name__, str(error)


@contextlib.contextmanager
def at_length() -> Any:
    """Calls inside go the long way."""
    core.enter_slow_scope()
    try:
        yield
    finally:
        core.leave_slow_scope()


def differences(seed: int, count: int) -> list[str]:
    """Makes |count| calls both ways; returns what differs."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        device = rng.choice([None, None, "/cpu:0", "/gpu:0", "/cpu:1"])
        text, call = call_at_random(rng)
        with tf.device(device) if device else contextlib.nullcontext():
            short = outcome(call)
            with at_length():
                long = outcome(call)
        if short != long:
            found.append(f"{text} in {device}\n  short {short}\n  long  {long}")
    return found


# ---- Tests ----

@pytest.mark.parametrize("seed", range(20))
def test_calls_are_the_same(seed: int) -> None:
    """Both ways give the same."""
    assert not differences(seed, CALLS_A_SEED)


def test_calls_are_the_same_in_threads() -> None:
    """Both ways give the same while others call."""
    found: list[str] = []
    threads = [threading.Thread(target=lambda s=seed: found.extend(differences(s, CALLS_A_SEED // 2)))
               for seed in range(100, 104)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not found


# What chance does not meet often.
DIRECTED = {
    "a number before a tensor of another type": lambda: tf.add(1, tf.constant(1.0)),
    "a list before a tensor of another type": lambda: tf.matmul([[1]], tf.constant([[1.0]])),
    "an integer that is rounded once": lambda: tf.constant(2 ** 60 + 2 ** 36 + 1, tf.float32),
    "a list of such": lambda: tf.constant([2 ** 60 + 2 ** 36 + 1, 1], tf.float32),
    "such beside a tensor": lambda: tf.constant(1.0) + (2 ** 60 + 2 ** 36 + 1),
    "a variable that is gathered from": lambda: tf.gather(tf.Variable([1.0, 2.0]), [5]),
    "a variable summed": lambda: tf.reduce_sum(tf.Variable([[1.0, 2.0]])),
    "a cast to the same type": lambda: tf.cast(tf.constant(1), tf.int32),
    "negative zero": lambda: tf.constant([1.0]) * -0.0,
    "several outputs": lambda: tf.raw_ops.TopKV2(input=tf.constant([1.0, 3.0, 2.0]), k=2),
    "ends of int32": lambda: tf.constant([2 ** 31 - 1, -2 ** 31]),
    "past the end of int32": lambda: tf.constant([2 ** 31, 1]),
    "sizes of two kinds": lambda: tf.zeros([tf.constant(2), 3]),
    "an empty list of tensors": lambda: tf.concat([], 0),
}


@pytest.mark.parametrize("name", DIRECTED)
def test_directed(name: str) -> None:
    """Both ways give the same."""
    short = outcome(DIRECTED[name])
    with at_length():
        assert outcome(DIRECTED[name]) == short


def test_random_ops_go_on() -> None:
    """A sequence is one, whichever way its calls come."""
    def numbers(ways: list[bool]) -> list[float]:
        tf.random.set_seed(7)
        values = []
        for is_long in ways:
            with at_length() if is_long else contextlib.nullcontext():
                values.append(float(tf.random.uniform([], seed=3)))
        return values

    assert numbers([False] * 6) == numbers([True] * 6) == numbers([True, False] * 3)


def test_lists_may_change_while_variables_are_read() -> None:
    """A list that another thread changes during a call harms nobody."""
    values = [tf.Variable(1.0), tf.constant(2.0), tf.constant(3.0)]
    is_over = threading.Event()

    def change() -> None:
        while not is_over.is_set():
            values.append(tf.constant(4.0))
            del values[1:]
            values.extend([tf.constant(2.0), tf.constant(3.0)])

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(3000):
            with contextlib.suppress(tf.errors.InvalidArgumentError, ValueError, TypeError):
                assert tf.stack(values).shape.rank == 1
    finally:
        is_over.set()
        thread.join()


if __name__ == "__main__":
    SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    for line in differences(SEED, int(sys.argv[2]) if len(sys.argv) > 2 else 2000):
        print(line)

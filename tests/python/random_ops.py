"""random_ops.py - Ops for random programs, each beside what numpy makes of it.

An op takes a thread's dice and one or more values, and returns the tensor, the array it must
equal, and a text. Arrays hold whole numbers; `fits` says whether they are exact in their type.
"""

from __future__ import annotations

import random
from typing import Any, Callable, NamedTuple

import numpy as np

import berth as tf

DEVICES = ("/cpu:0", "/gpu:0", "/gpu:1", "/gpu:2")
REAL = (np.float32, np.float64, np.float16)
WHOLE = (np.int32, np.int64)
TYPES = (np.float32, np.float32, np.float32, *REAL, *WHOLE)
# Numbers up to here are exact, with room for one more sum or product.
MOST = {np.float16: 256, np.float32: 1 << 20, np.float64: 1 << 40, np.int32: 1 << 28, np.int64: 1 << 50}


class Value(NamedTuple):
    """A tensor and what it must hold."""

    tensor: Any
    array: np.ndarray
    text: str


def fits(array: np.ndarray) -> bool:
    """True when every number is exact, and leaves room."""
    if array.dtype == np.bool_ or array.size == 0:
        return True
    return float(np.abs(array.astype(np.float64)).max()) <= MOST[array.dtype.type]


def shape_of(dice: random.Random, large: bool = True) -> tuple[int, ...]:
    """A shape of rank 0 to 4, now and then empty, now and then of some MiB."""
    rank = dice.choice((0, 1, 1, 2, 2, 2, 3, 4))
    if large and dice.random() < 0.08:
        return tuple(dice.choice(((300000,), (512, 700), (1 << 20,), (64, 64, 80))))
    most = {0: 1, 1: 3000, 2: 60, 3: 12, 4: 6}[rank]
    low = 0 if dice.random() < 0.05 else 1
    return tuple(dice.randint(low, most) for _ in range(rank))


def array_of(dice: random.Random, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Whole numbers from -3 to 3."""
    count = int(np.prod(shape, dtype=np.int64))
    start = dice.randrange(7)
    return ((np.arange(start, start + count) * dice.choice((1, 3, 5)) % 7) - 3).reshape(shape).astype(dtype)


def fresh(dice: random.Random) -> Value:
    """A constant on some device."""
    dtype = dice.choice(TYPES)
    array = array_of(dice, shape_of(dice), dtype)
    return Value(tf.constant(array), array, f"constant{array.shape}:{np.dtype(dtype).name}")


def axis_of(dice: random.Random, value: Value) -> int:
    """One of the axes."""
    return dice.randrange(value.array.ndim)


# ---- Of one value ----


def with_axis(fn: Callable[[random.Random, Value], Value]) -> Callable[[random.Random, Value], Value | None]:
    """None for scalars."""

    def checked(dice: random.Random, value: Value) -> Value | None:
        return fn(dice, value) if value.array.ndim else None

    return checked


def numeric(value: Value) -> Value:
    """Booleans become numbers."""
    if value.array.dtype != np.bool_:
        return value
    return Value(tf.cast(value.tensor, tf.float32), value.array.astype(np.float32), value.text)


def negative(_: random.Random, value: Value) -> Value:
    value = numeric(value)
    return Value(-value.tensor, -value.array, f"neg({value.text})")


def relu(_: random.Random, value: Value) -> Value:
    value = numeric(value)
    return Value(tf.nn.relu(value.tensor), np.maximum(value.array, 0), f"relu({value.text})")


def square(_: random.Random, value: Value) -> Value:
    value = numeric(value)
    return Value(tf.square(value.tensor), value.array * value.array, f"square({value.text})")


def sign(_: random.Random, value: Value) -> Value:
    value = numeric(value)
    return Value(tf.sign(value.tensor), np.sign(value.array), f"sign({value.text})")


def cast(dice: random.Random, value: Value) -> Value | None:
    dtype = dice.choice(TYPES)
    array = value.array.astype(dtype)
    if not fits(array) or not fits(numeric(value).array.astype(np.float64).astype(dtype)):
        return None
    return Value(tf.cast(value.tensor, dtype), array, f"cast({value.text},{np.dtype(dtype).name})")


def identity(_: random.Random, value: Value) -> Value:
    return Value(tf.identity(value.tensor), value.array, f"copy({value.text})")


def ones_like(_: random.Random, value: Value) -> Value:
    value = numeric(value)
    return Value(tf.ones_like(value.tensor), np.ones_like(value.array), f"ones_like({value.text})")


def zeros_like(_: random.Random, value: Value) -> Value:
    return Value(tf.zeros_like(value.tensor), np.zeros_like(value.array), f"zeros_like({value.text})")


@with_axis
def reduce_sum(dice: random.Random, value: Value) -> Value | None:
    value = numeric(value)
    axis = dice.choice((None, axis_of(dice, value)))
    whole = np.abs(value.array.astype(np.float64)).sum(axis=axis)
    if not fits(np.asarray(whole).astype(value.array.dtype)) or np.max(whole, initial=0) > MOST[value.array.dtype.type]:
        return None
    array = np.asarray(value.array.sum(axis=axis)).astype(value.array.dtype)
    return Value(tf.reduce_sum(value.tensor, axis=axis), array, f"sum({value.text},{axis})")


@with_axis
def reduce_max(dice: random.Random, value: Value) -> Value | None:
    value = numeric(value)
    axis = axis_of(dice, value)
    if value.array.size == 0:
        return None
    return Value(tf.reduce_max(value.tensor, axis=axis), value.array.max(axis=axis), f"max({value.text},{axis})")


@with_axis
def argmax(dice: random.Random, value: Value) -> Value | None:
    value = numeric(value)
    axis = axis_of(dice, value)
    if value.array.size == 0:
        return None
    return Value(
        tf.argmax(value.tensor, axis=axis), value.array.argmax(axis=axis).astype(np.int64), f"argmax({value.text},{axis})"
    )


@with_axis
def transpose(dice: random.Random, value: Value) -> Value:
    order = list(range(value.array.ndim))
    dice.shuffle(order)
    return Value(
        tf.transpose(value.tensor, order), np.ascontiguousarray(value.array.transpose(order)), f"T({value.text},{order})"
    )


def flatten(_: random.Random, value: Value) -> Value:
    return Value(tf.reshape(value.tensor, [-1]), value.array.reshape(-1), f"flat({value.text})")


@with_axis
def reshape_by_shape(_: random.Random, value: Value) -> Value:
    """Shape arithmetic: the last axis first, then the rest as one."""
    if value.array.size == 0:
        return flatten(_, value)
    shape = tf.shape(value.tensor)
    tensor = tf.reshape(value.tensor, tf.stack([shape[-1], tf.size(value.tensor) // shape[-1]]))
    last = value.array.shape[-1]
    return Value(tensor, value.array.reshape(last, value.array.size // last), f"by_shape({value.text})")


@with_axis
def slice_some(dice: random.Random, value: Value) -> Value:
    begin, size = [], []
    for dim in value.array.shape:
        begin.append(dice.randint(0, dim))
        size.append(dice.randint(0, dim - begin[-1]))
    where = tuple(slice(b, b + s) for b, s in zip(begin, size))
    return Value(
        tf.slice(value.tensor, begin, size), np.ascontiguousarray(value.array[where]), f"slice({value.text},{begin},{size})"
    )


@with_axis
def every_other(_: random.Random, value: Value) -> Value:
    return Value(value.tensor[::2], np.ascontiguousarray(value.array[::2]), f"{value.text}[::2]")


@with_axis
def gather(dice: random.Random, value: Value) -> Value | None:
    rows = value.array.shape[0]
    if rows == 0 or value.array.size > 1 << 18:
        return None
    wanted = [dice.randrange(rows) for _ in range(dice.randint(1, 9))]
    return Value(tf.gather(value.tensor, wanted), value.array[wanted], f"gather({value.text},{wanted})")


@with_axis
def tile(dice: random.Random, value: Value) -> Value | None:
    if value.array.size > 1 << 18:
        return None
    times = [dice.randint(1, 2) for _ in value.array.shape]
    return Value(tf.tile(value.tensor, times), np.tile(value.array, times), f"tile({value.text},{times})")


@with_axis
def pad(dice: random.Random, value: Value) -> Value:
    value = numeric(value)
    widths = [[dice.randint(0, 2), dice.randint(0, 2)] for _ in value.array.shape]
    return Value(tf.pad(value.tensor, widths), np.pad(value.array, widths), f"pad({value.text},{widths})")


@with_axis
def split_join(dice: random.Random, value: Value) -> Value | None:
    axis = axis_of(dice, value)
    if value.array.shape[axis] % 2:
        return None
    first, second = tf.split(value.tensor, 2, axis=axis)
    left, right = np.split(value.array, 2, axis=axis)
    array = np.concatenate([right, left], axis=axis)
    return Value(tf.concat([second, first], axis=axis), array, f"swap({value.text},{axis})")


def stack(_: random.Random, value: Value) -> Value | None:
    if value.array.ndim > 3 or value.array.size > 1 << 18:
        return None
    return Value(tf.stack([value.tensor, value.tensor]), np.stack([value.array, value.array]), f"stack({value.text})")


def one_hot(dice: random.Random, value: Value) -> Value | None:
    if value.array.dtype not in (np.int32, np.int64) or value.array.ndim > 2 or value.array.size > 10000:
        return None
    depth = dice.randint(1, 5)
    array = (value.array[..., None] == np.arange(depth)).astype(np.float32)
    return Value(tf.one_hot(value.tensor, depth), array, f"one_hot({value.text},{depth})")


def broadcast(dice: random.Random, value: Value) -> Value | None:
    if value.array.ndim > 3 or value.array.size > 1 << 16:
        return None
    shape = (dice.randint(1, 3), *value.array.shape)
    return Value(
        tf.broadcast_to(value.tensor, shape), np.ascontiguousarray(np.broadcast_to(value.array, shape)), f"wide({value.text})"
    )


def via_dlpack(_: random.Random, value: Value) -> Value | None:
    if value.array.dtype == np.bool_ or value.array.size == 0:
        return None
    capsule = tf.experimental.dlpack.to_dlpack(value.tensor)
    return Value(tf.experimental.dlpack.from_dlpack(capsule), value.array, f"dlpack({value.text})")


OF_ONE = (
    negative, relu, square, sign, cast, identity, identity, identity, ones_like, zeros_like, reduce_sum, reduce_sum,
    reduce_max, argmax, transpose, flatten, reshape_by_shape, slice_some, every_other, gather, tile, pad, split_join, stack,
    one_hot, broadcast, via_dlpack,
)  # fmt: skip


# ---- Of two values ----


def beside(dice: random.Random, value: Value) -> Value:
    """Another value of the same type, of a shape that goes with it."""
    shape = value.array.shape
    kind = dice.random()
    if kind < 0.2:
        shape = ()
    elif kind < 0.4 and shape:
        shape = shape[-1:]
    array = array_of(dice, shape, value.array.dtype)
    # As it comes, or from a device.
    if dice.random() < 0.5:
        return Value(array, array, f"array{shape}")
    with tf.device(dice.choice(DEVICES)):
        return Value(tf.constant(array), array, f"constant{shape}")


def binary(dice: random.Random, value: Value) -> Value:
    value = numeric(value)
    other = beside(dice, value)
    name = dice.choice(("add", "subtract", "multiply", "maximum"))
    array = getattr(np, name)(value.array, other.array)
    return Value(getattr(tf, name)(value.tensor, other.tensor), array, f"{name}({value.text},{other.text})")


def where(dice: random.Random, value: Value) -> Value:
    value = numeric(value)
    other = beside(dice, value)
    zero = value.array.dtype.type(0)
    chosen = tf.where(value.tensor > zero, value.tensor, other.tensor)
    return Value(chosen, np.where(value.array > 0, value.array, other.array), f"where({value.text},{other.text})")


def compare(dice: random.Random, value: Value) -> Value:
    value = numeric(value)
    other = beside(dice, value)
    return Value(
        tf.greater(value.tensor, other.tensor), np.greater(value.array, other.array), f"greater({value.text},{other.text})"
    )


def matmul(dice: random.Random, value: Value) -> Value | None:
    array = value.array
    if array.dtype not in (np.float32, np.float64, np.int32) or array.ndim != 2 or array.size == 0:
        return None
    other = array_of(dice, (array.shape[1], dice.choice((1, 5, 64, 200))), array.dtype)
    if array.shape[0] * array.shape[1] * other.shape[1] > 1 << 25:
        return None
    most = float(np.abs(array).max()) * 3 * array.shape[1]
    if most > MOST[array.dtype.type]:
        return None
    wanted = (array.astype(np.float64) @ other.astype(np.float64)).astype(array.dtype)
    return Value(tf.matmul(value.tensor, other), wanted, f"matmul({value.text},{other.shape})")


OF_TWO = (binary, binary, binary, where, compare, matmul, matmul)

"""test_later.py - Functions of sizes, numbers and turns that are known only when they run, beside the same that are known."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import berth as tf
import numpy as np
import pytest

I, S = tf.image, tf.signal
IMAGES = [np.arange(h * w * 3, dtype=np.float32).reshape(h, w, 3) for h, w in ((3, 5), (8, 5), (4, 6), (9, 9), (2, 7))]


def later(function: Any, *known: Any) -> Any:
    """Returns |function| as one that knows of its first argument its type and its rank."""
    @tf.function(input_signature=[tf.TensorSpec([None] * known[0], tf.float32), *(
        tf.TensorSpec(shape, tf.int32) for shape in known[1:])], autograph=False)
    def traced(*args: Any) -> Any:
        return function(*args)

    return traced


@pytest.mark.parametrize('image', IMAGES, ids=lambda image: 'x'.join(map(str, image.shape)))
@pytest.mark.parametrize('batch', [False, True])
def test_images(image: Any, batch: bool) -> None:
    image = np.stack([image, image + 1]) if batch else image
    for function in (lambda x: I.resize_with_crop_or_pad(x, 4, 6), lambda x: I.resize_with_crop_or_pad(x, 5, 2),
                     lambda x: I.central_crop(x, 0.5), lambda x: I.resize_with_pad(x, 4, 6)):
        np.testing.assert_array_equal(later(function, image.ndim)(image), function(tf.constant(image)))
    turned = later(I.rot90, image.ndim, [])
    for k in range(-1, 6):
        np.testing.assert_array_equal(turned(image, k), np.rot90(image, k, (1, 2) if batch else (0, 1)))


def test_what_is_known_of_images() -> None:
    """Sizes that are asked for are known, others are not."""
    def shapes(x: Any, k: Any) -> Any:
        made = I.resize_with_crop_or_pad(x, 4, 6), I.rot90(x, k), I.central_crop(x, 0.5)
        found.extend(t.shape.as_list() for t in made)
        return made

    found: list[Any] = []
    traced = tf.function(shapes, input_signature=[tf.TensorSpec([None, None, 3]), tf.TensorSpec([], tf.int32)])
    traced.get_concrete_function()
    assert found == [[4, 6, 3], [None, None, 3], [None, None, 3]]


def test_images_of_a_dataset() -> None:
    """What is decoded has no size before it runs."""
    png = tf.io.encode_png(tf.cast(tf.reshape(tf.range(105), [5, 7, 3]), tf.uint8))
    dataset = tf.data.Dataset.from_tensors(png).map(lambda s: I.resize_with_crop_or_pad(tf.io.decode_png(s, 3), 3, 3))
    expected = np.arange(105).reshape(5, 7, 3)[1:4, 2:5]
    np.testing.assert_array_equal(next(iter(dataset)), expected)


def test_fraction() -> None:
    image = tf.ones([4, 4, 1])
    assert I.central_crop(image, tf.constant(0.5)).shape == [2, 2, 1]
    crop = tf.function(I.central_crop, input_signature=[tf.TensorSpec([None, None, 1]), tf.TensorSpec([])])
    assert crop(image, 0.5).shape == [2, 2, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match='central_crop/Slice'):
        crop(image, 1.5)


@pytest.mark.parametrize('axis', [0, 1, -1, None])
def test_repeat(axis: Any) -> None:
    data = np.arange(4, dtype=np.float32).reshape(2, 2)
    size = 4 if axis is None else 2
    for counts in (2, [3], list(range(size)), [0] * size):
        shape = [] if np.isscalar(counts) else [None]
        repeated = later(lambda x, n: tf.repeat(x, n, axis=axis), 2, shape)
        expected = np.repeat(data, counts, axis)
        np.testing.assert_array_equal(repeated(data, counts), expected)
        np.testing.assert_array_equal(tf.repeat(data, counts, axis=axis), expected)


@pytest.mark.parametrize('call, kind, text', [
    (lambda: tf.repeat([1, 2], [[1, 2]]), ValueError, 'Shape (1, 2) must have rank at most 1'),
    (lambda: tf.repeat([[1, 2]], [1, 2], axis=3), ValueError, 'axis=3 out of bounds: expected -2<=axis<2'),
    (lambda: tf.repeat([1, 2], [1, 2, 3]), ValueError, 'Dimensions 2 and 3 are not compatible'),
    (lambda: tf.repeat([1], -1), tf.errors.InvalidArgumentError, 'Expected multiples[1] >= 0, but got -1'),
    (lambda: S.frame(tf.range(4.), [3], 1), ValueError, 'Shape (1,) must have rank 0')])
def test_what_does_not_fit(call: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_slopes_of_repeat() -> None:
    x = tf.Variable([[1., 2.], [3., 4.]])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def slope(counts: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.repeat(x, counts, axis=0) ** 2)
        return tf.convert_to_tensor(tape.gradient(y, x))

    assert slope([1, 2]).numpy().tolist() == [[2, 4], [12, 16]]


@pytest.mark.parametrize('axis', [0, 1, -1, -2])
def test_frames_along_any_axis(axis: int) -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 6, 2)
    framed = tf.function(lambda x: S.frame(x, 2, 1, pad_end=True, pad_value=7, axis=axis),
                         input_signature=[tf.TensorSpec(None, tf.float32)], autograph=False)
    padding = [(0, int(i == axis % 3)) for i in range(3)]
    whole = np.pad(x, padding, constant_values=7)
    size = x.shape[axis]
    expected = np.stack([whole.take([i, i + 1], axis % 3) for i in range(size)], axis % 3)
    np.testing.assert_array_equal(framed(x), expected)
    made = S.frame(tf.constant(x), 2, 1, pad_end=True, pad_value=7, axis=axis)
    np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize('kind', ['MAX', 'AVG'])
@pytest.mark.parametrize('size, window, rates', [([9], [2], [3]), ([6, 7], [2, 3], [2, 2]), ([6, 7], [2, 2], [3, 1]),
                                                 ([4, 5, 4], [2, 2, 1], [2, 1, 2])])
def test_pools_of_what_lies_apart(kind: str, size: list[int], window: list[int], rates: list[int]) -> None:
    """Beside plain windows; of known sizes, and of others."""
    x = np.random.default_rng(1).standard_normal([2, *size, 3]).astype(np.float32)
    counts = [n - (w - 1) * r for n, w, r in zip(size, window, rates)]
    parts = []
    for place in np.ndindex(*window):
        cut = tuple(slice(p * r, p * r + n) for p, r, n in zip(place, rates, counts))
        parts.append(x[(slice(None), *cut)])
    expected = np.max(parts, 0) if kind == 'MAX' else np.mean(parts, 0)
    pooled = tf.function(lambda x: tf.nn.pool(x, window, kind, dilations=rates), autograph=False, input_signature=[
        tf.TensorSpec([None] * (len(size) + 1) + [3])])
    for found in (tf.nn.pool(x, window, kind, dilations=rates), pooled(x)):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('options, text', [
    ({'padding': 'SAME'}, "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: padding=SAME and "
     'dilation_rate=[2 1]'),
    ({'strides': [2, 2]}, '`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=[2 2] and '
     'dilation_rate=[2 1]')])
def test_pools_that_there_are_not(options: Any, text: str) -> None:
    with pytest.raises(ValueError) as caught:
        tf.nn.pool(tf.ones([1, 4, 4, 1]), [2, 2], 'MAX', dilations=[2, 1], **options)
    assert str(caught.value) == text


def test_rest_of_a_signature() -> None:
    """What *args takes by a signature are parameters of their own."""
    spec, number = tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)

    @tf.function(input_signature=[spec, number])
    def every(*a: Any) -> Any:
        return a[0] * 2, a[1]

    @tf.function(input_signature=[spec, number])
    def last(a: Any, *b: Any) -> Any:
        return a * 2, b

    class Holder:
        @tf.function(input_signature=[number])
        def method(self, *a: Any) -> Any:
            return a

    assert [t.numpy().tolist() for t in every([1., 2.], 3)] == [[2, 4], 3]
    doubled, rest = last([1., 2.], 3)
    assert doubled.numpy().tolist() == [2, 4] and [int(t) for t in rest] == [3]
    assert [int(t) for t in Holder().method(5)] == [5]
    shown = ('(a_0: TensorSpec(shape=(None,), dtype=tf.float32, name=None), '
             'a_1: TensorSpec(shape=(), dtype=tf.int32, name=None), /)')
    with pytest.raises(TypeError) as caught:
        every([1.])
    assert str(caught.value) == ("Binding inputs to tf.function failed due to `missing a required argument: 'a_1'`. Received "
                                 f"args: ([1.0],) and kwargs: {{}} for signature: {shown}.")


PRINTED = '''
import sys
import berth as tf
ROWS = [tf.ragged.constant([[1.5, 2.25], [], [3.123456789]]), tf.ragged.constant([['a', 'b c'], []]),
        tf.ragged.constant([[True], [False, True]]), tf.ragged.constant([list(range(9)), [1]]),
        tf.ragged.constant([[i] for i in range(9)]), tf.ragged.constant([[[1], [2, 3]], [[]]]),
        tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)]
def show(r):
    tf.print(r, output_stream=sys.stdout)
    tf.print('a', r, summarize=2, output_stream=sys.stdout)
    tf.print({'k': [r]}, 1, output_stream=sys.stdout)
for r in ROWS:
    show(r) if len(sys.argv) == 1 else tf.function(show, autograph=False)(r)
    print(tf.strings.format('{}!', r).numpy().decode(), flush=True)
'''
EXPECTED = '''
[[1.500000, 2.250000], [], [3.123457]]
a [[1.500000, 2.250000], [], [3.123457]]
{'k': [[[1.500000, 2.250000], [], [3.123457]]]} 1
[[1.500000, 2.250000], [], [3.123457]]!
[['a', 'b c'], []]
a [['a', 'b c'], []]
{'k': [[['a', 'b c'], []]]} 1
[['a', 'b c'], []]!
[[true], [false, true]]
a [[true], [false, true]]
{'k': [[[true], [false, true]]]} 1
[[true], [false, true]]!
[[0, 1, 2, ..., 6, 7, 8], [1]]
a [[0, 1, ..., 7, 8], [1]]
{'k': [[[0, 1, 2, ..., 6, 7, 8], [1]]]} 1
[[0, 1, 2, ..., 6, 7, 8], [1]]!
[[0], [1], [2], ..., [6], [7], [8]]
a [[0], [1], ..., [7], [8]]
{'k': [[[0], [1], [2], ..., [6], [7], [8]]]} 1
[[0], [1], [2], ..., [6], [7], [8]]!
[[[1], [2, 3]], [[]]]
a [[[1], [2, 3]], [[]]]
{'k': [[[[1], [2, 3]], [[]]]]} 1
[[[1], [2, 3]], [[]]]!
[[[1, 2]], [[3, 4], [5, 6]]]
a [[[1, 2]], [[3, 4], [5, 6]]]
{'k': [[[[1, 2]], [[3, 4], [5, 6]]]]} 1
[[[1, 2]], [[3, 4], [5, 6]]]!
'''


@pytest.mark.parametrize('mode', [(), ('later',)])
def test_ragged_tensors_are_printed(mode: tuple[str, ...]) -> None:
    """At once and in functions, by TensorFlow 2.21's words."""
    done = subprocess.run([sys.executable, '-c', PRINTED, *mode], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split('\n') == EXPECTED[1:].split('\n')

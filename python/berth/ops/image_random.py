"""image_random.py - Random changes of images that a seed decides alone."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, scopes
from berth.ops import array_ops, flow_ops, image_color, image_ops, math_ops, order_ops, reduce_ops, stateless_ops


def _between(low: Any, high: Any, seed: Any) -> Any:
    return stateless_ops.stateless_uniform([], seed=seed, minval=low, maxval=high)


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Any:
    """Adds an amount between -max_delta and max_delta."""
    image_color._check_delta(max_delta)
    return image_color.adjust_brightness(image, _between(-max_delta, max_delta, seed))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Any:
    """Changes the contrast by a factor between |lower| and |upper|."""
    image_color._check_factors(lower, upper)
    return image_color.adjust_contrast(image, _between(lower, upper, seed))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Any:
    """Turns the hue by a part of the circle, at most |max_delta| either way."""
    if max_delta > 0.5:
        raise ValueError('max_delta must be <= 0.5.')
    image_color._check_delta(max_delta)
    return image_color.adjust_hue(image, _between(-max_delta, max_delta, seed))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    """Multiplies the saturation by a factor between |lower| and |upper|."""
    image_color._check_factors(lower, upper)
    return image_color.adjust_saturation(image, _between(lower, upper, seed))


def _flip(image: Any, axis: int, seed: Any, default: str) -> Any:
    with scopes.name_scope(None, default, [image]) as scope:
        image = image_ops.checked(convert.convert_to_tensor(image, name='image'), (3, 4))
        if image.shape.rank == 4:
            return _flip_batch(image, axis, seed)
        is_flipped = math_ops.less(_between(0, 1.0, seed), .5)
        if scopes.executing_eagerly():
            return array_ops.reverse(image, [axis]) if is_flipped else image
        return flow_ops.cond(is_flipped, lambda: array_ops.reverse(image, [axis]), lambda: image, name=scope)


def _flip_batch(image: Any, axis: int, seed: Any) -> Any:
    """Flips some images of a batch, each by a number of its own."""
    count = array_ops.shape(image)[0]
    chance = stateless_ops.stateless_uniform([count], seed=seed, minval=0, maxval=1.0)
    flips = math_ops.cast(math_ops.round(array_ops.reshape(chance, [count, 1, 1, 1])), image.dtype)
    return flips * array_ops.reverse(image, [axis + 1]) + (1 - flips) * image


def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """Mirrors an image with a probability of one half."""
    return _flip(image, 1, seed, 'stateless_random_flip_left_right')


def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """Turns an image upside down with a probability of one half."""
    return _flip(image, 0, seed, 'stateless_random_flip_up_down')


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """Cuts a part of |size| out of a tensor."""
    with scopes.name_scope(name, 'random_crop', [value, size]) as scope:
        value = convert.convert_to_tensor(value, name='value')
        size = convert.convert_to_tensor(size, dtype=dtypes.int32, name='size')
        shape = array_ops.shape(value)
        check = flow_ops.Assert(reduce_ops.reduce_all(shape >= size), ['Need value.shape >= size, got ', shape, size],
                                summarize=1000)
        limit = order_ops.with_dependencies([check], shape) - size + 1
        offset = stateless_ops.stateless_uniform(
            array_ops.shape(shape), seed=seed, dtype=size.dtype, maxval=size.dtype.max) % limit
        return array_ops.slice(value, offset, size, name=scope)

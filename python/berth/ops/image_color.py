"""image_color.py - Colours: types of pixels, brightness, contrast, hue, saturation, other spaces."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth.framework import convert, dtypes, gen, scopes, static_value
from berth.ops import array_ops, math_ops, order_ops, random_ops, reduce_ops

_FLOATS = (dtypes.float16, dtypes.float32)
_GREY = (0.2989, 0.5870, 0.1140)
_YIQ = ((0.299, 0.59590059, 0.2115), (0.587, -0.27455667, -0.52273617), (0.114, -0.32134392, 0.31119955))
_FROM_YIQ = ((1, 1, 1), (0.95598634, -0.27201283, -1.10674021), (0.6208248, -0.64720424, 1.70423049))
_YUV = ((0.299, -0.14714119, 0.61497538), (0.587, -0.28886916, -0.51496512), (0.114, 0.43601035, -0.10001026))
_FROM_YUV = ((1, 1, 1), (0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0))


def _to(value: Any, dtype: Any, saturate: bool, name: Any = None) -> Any:
    change = math_ops.saturate_cast if saturate else math_ops.cast
    return change(value, dtype, name=name)


def _between_integers(image: Any, dtype: Any, saturate: bool, name: Any) -> Any:
    most, wanted = image.dtype.max, dtype.max
    if most > wanted:
        return _to(math_ops.floordiv(image, (most + 1) // (wanted + 1)), dtype, saturate, name)
    return math_ops.multiply(_to(image, dtype, saturate), (wanted + 1) // (most + 1), name=name)


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Any:
    """Changes the type of pixels, and their range with it: floats are from 0 to 1."""
    image = convert.convert_to_tensor(image, name='image')
    dtype = dtypes.as_dtype(dtype)
    for kind, what in ((dtype, 'dtype'), (image.dtype, 'image dtype')):
        if not kind.is_floating and not kind.is_integer:
            raise AttributeError(f'{what} must be either floating point or integer')
    if dtype == image.dtype:
        return array_ops.identity(image, name=name)
    with scopes.name_scope(name, 'convert_image', [image]) as name:
        if image.dtype.is_integer and dtype.is_integer:
            return _between_integers(image, dtype, saturate, name)
        if image.dtype.is_floating and dtype.is_floating:
            return math_ops.cast(image, dtype, name=name)
        if image.dtype.is_integer:
            return math_ops.multiply(math_ops.cast(image, dtype), 1. / image.dtype.max, name=name)
        return _to(math_ops.multiply(image, dtype.max + 0.5), dtype, saturate, name)


def _floats(image: Any, name: str = 'image') -> tuple[Any, Any]:
    """Returns an image as floats, and the type it had."""
    image = convert.convert_to_tensor(image, name=name)
    if image.dtype in _FLOATS:
        return image, image.dtype
    return convert_image_dtype(image, dtypes.float32), image.dtype


def adjust_brightness(image: Any, delta: Any) -> Any:
    """Adds |delta| to every pixel."""
    with scopes.name_scope(None, 'adjust_brightness', [image, delta]) as name:
        pixels, kind = _floats(image)
        adjusted = math_ops.add(pixels, math_ops.cast(delta, pixels.dtype), name=name)
        return convert_image_dtype(adjusted, kind, saturate=True)


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """Adds a random amount between -max_delta and max_delta."""
    _check_delta(max_delta)
    return adjust_brightness(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def _check_delta(max_delta: float) -> None:
    if max_delta < 0:
        raise ValueError('max_delta must be non-negative.')


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Moves every pixel away from the mean of its channel by a factor."""
    with scopes.name_scope(None, 'adjust_contrast', [images, contrast_factor]) as name:
        pixels, kind = _floats(images, 'images')
        adjusted = gen.apply('AdjustContrastv2', name, {'images': pixels, 'contrast_factor': contrast_factor})
        return convert_image_dtype(adjusted, kind, saturate=True)


def _check_factors(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError('upper must be > lower.')
    if lower < 0:
        raise ValueError('lower must be non-negative.')


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """Changes the contrast by a random factor between |lower| and |upper|."""
    _check_factors(lower, upper)
    return adjust_contrast(image, random_ops.random_uniform([], lower, upper, seed=seed))


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """Raises every pixel to a power, and multiplies it by |gain|."""
    with scopes.name_scope(None, 'adjust_gamma', [image, gamma, gain]):
        pixels, kind = _floats(image)
        known = static_value.get_static_value(gamma) if convert.is_tensor(gamma) else gamma
        if known is not None and known < 0:
            raise ValueError('Gamma should be a non-negative real number.')
        return convert_image_dtype(gain * pixels ** gamma, kind, saturate=True)


# ---- Hue and saturation ----

rgb_to_hsv = gen.wrapper('RGBToHSV')
hsv_to_rgb = gen.wrapper('HSVToRGB')


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """Turns the hue of colours by a part of the circle."""
    with scopes.name_scope(name, 'adjust_hue', [image]):
        if scopes.executing_eagerly() and not -1 <= delta <= 1:
            raise ValueError('delta must be in the interval [-1, 1]')
        pixels, kind = _floats(image)
        return convert_image_dtype(gen.apply('AdjustHue', None, {'images': pixels, 'delta': delta}), kind)


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """Turns the hue by a random part of the circle, at most |max_delta| either way."""
    if max_delta > 0.5:
        raise ValueError('max_delta must be <= 0.5.')
    _check_delta(max_delta)
    return adjust_hue(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """Multiplies the saturation of colours."""
    with scopes.name_scope(name, 'adjust_saturation', [image]):
        pixels, kind = _floats(image)
        adjusted = gen.apply('AdjustSaturation', None, {'images': pixels, 'scale': saturation_factor})
        return convert_image_dtype(adjusted, kind)


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """Multiplies the saturation by a random factor between |lower| and |upper|."""
    _check_factors(lower, upper)
    return adjust_saturation(image, random_ops.random_uniform([], lower, upper, seed=seed))


# ---- Other spaces ----

def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """Returns how bright colours are, in one channel."""
    with scopes.name_scope(name, 'rgb_to_grayscale', [images]) as name:
        images = convert.convert_to_tensor(images, name='images')
        pixels = convert_image_dtype(images, dtypes.float32)
        grey = array_ops.expand_dims(math_ops.tensordot(pixels, list(_GREY), [-1, -1]), -1)
        return convert_image_dtype(grey, images.dtype, name=name)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """Repeats the only channel three times."""
    with scopes.name_scope(name, 'grayscale_to_rgb', [images]) as name:
        images = convert.convert_to_tensor(images, name='images')
        if images.shape.rank is not None and images.shape.rank < 2:
            raise ValueError(f'A grayscale image (shape {images.shape}) must be at least two-dimensional.')
        if images.shape.rank and images.shape.as_list()[-1] not in (1, None):
            raise ValueError('Last dimension of a grayscale image should be size 1.')
        ones = array_ops.ones(array_ops.expand_dims(array_ops.rank(images) - 1, 0), dtype=dtypes.int32)
        colours = array_ops.tile(images, array_ops.concat([ones, [3]], 0), name=name)
        colours.set_shape(images.shape[:-1].concatenate([3]))
        return colours


def _space(kernel: Any, name: str, text: str) -> Any:
    def function(images: Any) -> Any:
        images = convert.convert_to_tensor(images, name='images')
        matrix = convert.convert_to_tensor([list(row) for row in kernel], dtype=images.dtype, name='kernel')
        return math_ops.tensordot(images, matrix, axes=[[images.shape.rank - 1], [0]])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


rgb_to_yiq = _space(_YIQ, 'rgb_to_yiq', 'Returns colours as NTSC sends them.')
yiq_to_rgb = _space(_FROM_YIQ, 'yiq_to_rgb', 'Returns colours of what NTSC sends.')
rgb_to_yuv = _space(_YUV, 'rgb_to_yuv', 'Returns colours as PAL sends them.')
yuv_to_rgb = _space(_FROM_YUV, 'yuv_to_rgb', 'Returns colours of what PAL sends.')


# ---- Measures ----

def total_variation(images: Any, name: str | None = None) -> Any:
    """Returns how much neighbouring pixels differ in all."""
    with scopes.name_scope(name, 'total_variation'):
        images = convert.convert_to_tensor(images)
        if images.shape.rank not in (3, 4):
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        axes = None if images.shape.rank == 3 else [1, 2, 3]
        down = images[..., 1:, :, :] - images[..., :-1, :, :]
        across = images[..., :, 1:, :] - images[..., :, :-1, :]
        return (reduce_ops.reduce_sum(math_ops.abs(down), axis=axes)
                + reduce_ops.reduce_sum(math_ops.abs(across), axis=axes))


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """Returns the ratio of signal to noise between images, in decibels."""
    with scopes.name_scope(name, 'PSNR', [a, b]):
        a, b = convert.convert_to_tensor(a), convert.convert_to_tensor(b)
        most = convert_image_dtype(math_ops.cast(max_val, a.dtype), dtypes.float32)
        a, b = (convert_image_dtype(image, dtypes.float32) for image in (a, b))
        error = reduce_ops.reduce_mean(math_ops.squared_difference(a, b), [-3, -2, -1])
        ratio = math_ops.subtract(20 * math_ops.log(most) / math_ops.log(10.0),
                                  np.float32(10 / np.log(10)) * math_ops.log(error), name='psnr')
        return array_ops.identity(order_ops.with_dependencies([], ratio))



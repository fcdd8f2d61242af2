"""image_files.py - Images as the bytes of files."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import image_color, random_ops, stateless_ops

_READ = (dtypes.uint8, dtypes.uint16, dtypes.float32)  # Types that the op gives.


def decode_image(contents: Any, channels: Any = None, dtype: Any = dtypes.uint8, name: str | None = None,
                 expand_animations: bool = True) -> Any:
    """Reads an image of any kind: PNG, JPEG, GIF or BMP."""
    with scopes.name_scope(name, 'decode_image', [contents]):
        channels, wanted = channels or 0, dtypes.as_dtype(dtype)
        read = wanted if wanted in _READ else dtypes.uint16
        image = gen.apply('DecodeImage', None, {'contents': contents}, {
            'channels': channels, 'expand_animations': expand_animations, 'dtype': read})
        if read != wanted:
            image = image_color.convert_image_dtype(image, wanted)
        if not expand_animations:
            image.set_shape([None, None, channels or None])
        return image


def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = '', name: str | None = None) -> Any:
    """Returns what is left of an image that was a JPEG of some quality."""
    with scopes.name_scope(name, 'adjust_jpeg_quality', [image]):
        image = convert.convert_to_tensor(image, name='image')
        channels, kind = image.shape.as_list()[-1], image.dtype
        image = image_color.convert_image_dtype(image, dtypes.uint8, saturate=True)
        if not convert.is_tensor(jpeg_quality):
            jpeg_quality = convert.convert_to_tensor(jpeg_quality, dtype=dtypes.int32)
        contents = gen.apply('EncodeJpegVariableQuality', None, {'images': image, 'quality': jpeg_quality})
        image = gen.apply('DecodeJpeg', None, {'contents': contents}, {'channels': channels, 'dct_method': dct_method})
        return image_color.convert_image_dtype(image, kind, saturate=True)


def _check_qualities(least: int, most: int) -> None:
    if not (0 <= least <= 100 and 0 <= most <= 100):
        raise ValueError('jpeg encoding range must be between 0 and 100.')
    if least >= most:
        raise ValueError('`min_jpeg_quality` must be less than `max_jpeg_quality`.')


def random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None) -> Any:
    """Returns what is left of an image that was a JPEG of a random quality."""
    _check_qualities(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, random_ops.random_uniform(
        [], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=dtypes.int32))


def stateless_random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any) -> Any:
    """Returns what is left of an image that was a JPEG of the quality that |seed| stands for."""
    _check_qualities(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, stateless_ops.stateless_uniform(
        [], seed=seed, minval=min_jpeg_quality, maxval=max_jpeg_quality, dtype=dtypes.int32))

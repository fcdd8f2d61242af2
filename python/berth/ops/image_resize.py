"""image_resize.py - Images in another size: bilinear, or the nearest pixel.

Made of ops that every device has: which pixels and how much of each is computed
from the sizes alone, in 32 bits, as TensorFlow's kernels do.
"""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, scopes, static_value
from berth.ops import array_ops, image_ops, math_ops


@naming.public('ops.image_ops_impl')
class ResizeMethodV1:
    """How pixels are chosen, as TensorFlow 1 names it."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = 0, 1, 2, 3


@naming.public('ops.image_ops_impl')
class ResizeMethod:
    """How pixels are chosen."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = 'bilinear', 'nearest', 'bicubic', 'area'
    LANCZOS3, LANCZOS5, GAUSSIAN, MITCHELLCUBIC = 'lanczos3', 'lanczos5', 'gaussian', 'mitchellcubic'


ResizeMethodV1.__name__ = ResizeMethodV1.__qualname__ = 'ResizeMethod'

_BILINEAR, _NEAREST = (0, 'bilinear'), (1, 'nearest')
_OTHERS = (2, 3, 'bicubic', 'area', 'lanczos3', 'lanczos5', 'gaussian', 'mitchellcubic')


def _scale(before: Any, after: Any, align_corners: bool) -> Any:
    """Returns how many pixels of the old size one of the new size takes."""
    before, after = math_ops.cast(before, dtypes.float32), math_ops.cast(after, dtypes.float32)
    if not align_corners:
        return before / after
    return array_ops.where_v2(after > 1.0, (before - 1.0) / math_ops.maximum(after - 1.0, 1.0), before / after)


def _places(before: Any, after: Any, align_corners: bool, shift: float) -> Any:
    """Returns where the pixels of the new size lie in the old one."""
    at = math_ops.cast(math_ops.range(after), dtypes.float32)
    return (at + shift if shift else at) * _scale(before, after, align_corners)


def _along(images: Any, axis: int, after: Any, align_corners: bool, half_pixel_centers: bool) -> tuple[Any, Any, Any]:
    """Returns the pixels before and after each new one along |axis|, and how near the second is."""
    before = array_ops.shape(images)[axis]
    places = _places(before, after, align_corners, 0.5 if half_pixel_centers else 0.0)
    if half_pixel_centers:
        places = places - 0.5
    floor = math_ops.floor(places)
    low = math_ops.maximum(math_ops.cast(floor, dtypes.int32), 0)
    high = math_ops.minimum(math_ops.cast(math_ops.ceil(places), dtypes.int32), before - 1)
    lerp = array_ops.reshape(places - floor, [-1, 1] if axis == 2 else [-1, 1, 1])
    return array_ops.gather(images, low, axis=axis), array_ops.gather(images, high, axis=axis), lerp


def _check(images: Any, size: Any) -> tuple[Any, Any]:
    images = convert.convert_to_tensor(images, name='images')
    size = convert.convert_to_tensor(size, dtype=dtypes.int32, name='size')
    images.shape.assert_has_rank(4)
    return images, size


def _static_size(images: Any, size: Any) -> list[Any]:
    """Returns what is known of the new shape."""
    known = static_value.get_static_value(size)
    height, width = (None, None) if known is None else (int(n) for n in known)
    return [images.shape.as_list()[0], height, width, images.shape.as_list()[3]]


def resize_bilinear(images: Any, size: Any, align_corners: bool = False, name: str | None = None,
                    half_pixel_centers: bool = False) -> Any:
    """Brings a batch of images to a size; a pixel is a mean of the four around its place."""
    with scopes.name_scope(name, 'ResizeBilinear', [images, size]) as scope:
        images, size = _check(images, size)
        pixels = math_ops.cast(images, dtypes.float32)
        top, bottom, down = _along(pixels, 1, size[0], align_corners, half_pixel_centers)
        rows = []
        for part in (top, bottom):
            left, right, across = _along(part, 2, size[1], align_corners, half_pixel_centers)
            rows.append(left + (right - left) * across)
        resized = math_ops.add(rows[0], (rows[1] - rows[0]) * down, name=scope)
        resized.set_shape(_static_size(images, size))
        return resized


def resize_nearest_neighbor(images: Any, size: Any, align_corners: bool = False, name: str | None = None,
                            half_pixel_centers: bool = False) -> Any:
    """Brings a batch of images to a size; a pixel is the one at its place."""
    with scopes.name_scope(name, 'ResizeNearestNeighbor', [images, size]) as scope:
        images, size = _check(images, size)
        result = images
        for axis, after in ((1, size[0]), (2, size[1])):
            before = array_ops.shape(images)[axis]
            places = _places(before, after, align_corners, 0.5 if half_pixel_centers else 0.0)
            # A half goes away from zero, as in C; all places are positive.
            whole = math_ops.floor(places + 0.5 if align_corners else places)
            chosen = math_ops.minimum(math_ops.cast(whole, dtypes.int32), before - 1)
            result = array_ops.gather(result, chosen, axis=axis, name=scope if axis == 2 else None)
        result.set_shape(_static_size(images, size))
        return result


def _resizer(method: Any, align_corners: bool, half_pixel_centers: bool, name: Any = None) -> Any:
    """Returns the function that makes images of a size."""
    kinds = {**dict.fromkeys(_BILINEAR, resize_bilinear), **dict.fromkeys(_NEAREST, resize_nearest_neighbor)}
    if method not in kinds:
        if method in _OTHERS:
            raise NotImplementedError(f'tf.image.resize: Berth has the methods bilinear and nearest, not {method!r}.')
        raise ValueError(f'Resize method is not implemented: {method}')
    return lambda images, size: kinds[method](images, size, align_corners, name, half_pixel_centers)


def _fitted(images: Any, size: Any) -> Any:
    """Returns the largest size within |size| that keeps the proportions."""
    floats = [math_ops.cast(n, dtypes.float32) for n in image_ops.sizes(images)]
    factor = math_ops.minimum(*(math_ops.cast(size[i], dtypes.float32) / floats[i] for i in (0, 1)))
    scaled = [math_ops.cast(math_ops.round(factor * n), dtypes.int32) for n in floats]
    return convert.convert_to_tensor(scaled, dtypes.int32, name='size')


def _resized(images: Any, size: Any, resizer: Any, preserve_aspect_ratio: bool, name: Any, may_skip: bool) -> Any:
    with scopes.name_scope(name, 'resize', [images, size]):
        images = convert.convert_to_tensor(images, name='images')
        if images.shape.rank is None:
            raise ValueError("'images' contains no shape.")
        if images.shape.rank not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        images, is_batch = image_ops.as_batch(images)
        try:
            size = convert.convert_to_tensor(size, dtypes.int32, name='size')
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor") from None
        if not size.shape.is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            size = _fitted(images, size)
        known = _static_size(images, size)
        if not (may_skip and None not in known[1:3] and known[1:3] == images.shape.as_list()[1:3]):
            images = resizer(images, size)
            images.set_shape([None, known[1], known[2], None])
        return image_ops.single(images, is_batch)


def resize_images(images: Any, size: Any, method: Any = ResizeMethodV1.BILINEAR, align_corners: bool = False,
                  preserve_aspect_ratio: bool = False, name: str | None = None) -> Any:
    """Brings images to a size."""
    resizer = _resizer(method, align_corners, False)
    return _resized(images, size, resizer, preserve_aspect_ratio, name, True)


def resize(images: Any, size: Any, method: Any = ResizeMethod.BILINEAR, preserve_aspect_ratio: bool = False,
           antialias: bool = False, name: str | None = None) -> Any:
    """Brings images to a size; pixels have their places in their middle."""
    if antialias and method not in _NEAREST:
        raise NotImplementedError('tf.image.resize: Berth does not have antialias=True.')
    return _resized(images, size, _resizer(method, False, True), preserve_aspect_ratio, name, False)


def _whole(value: Any) -> Any:
    return math_ops.cast(math_ops.floor(value), dtypes.int32)


def _with_pad(image: Any, target_height: Any, target_width: Any, resizer: Any) -> Any:
    """Resizes images as far as they fit, and puts zeros around them."""
    with scopes.name_scope(None, 'resize_image_with_pad', [image]):
        image, is_batch = image_ops.as_batch(image)
        image_ops.check_targets(target_height, target_width)
        image = image_ops.checked(image, (4,))
        sizes = [math_ops.cast(n, dtypes.float32) for n in image_ops.sizes(image)]
        targets = [math_ops.cast(n, dtypes.float32) for n in (target_height, target_width)]
        ratio = math_ops.maximum(sizes[1] / targets[1], sizes[0] / targets[0])
        fitted = [size / ratio for size in sizes]
        pads = [math_ops.maximum(0, _whole((target - size) / 2)) for target, size in zip(targets, fitted)]
        resized = resizer(image, [_whole(size) for size in fitted])
        padded = image_ops.pad_to_bounding_box(resized, *pads, target_height, target_width)
        return image_ops.single(padded, is_batch)


def resize_image_with_pad(image: Any, target_height: Any, target_width: Any,
                          method: Any = ResizeMethodV1.BILINEAR, align_corners: bool = False) -> Any:
    """Brings images to a size without changing their proportions, with zeros around them."""
    return _with_pad(image, target_height, target_width,
                     lambda images, size: resize_images(images, size, method, align_corners))


def resize_with_pad(image: Any, target_height: Any, target_width: Any, method: Any = ResizeMethod.BILINEAR,
                    antialias: bool = False) -> Any:
    """Brings images to a size without changing their proportions, with zeros around them."""
    return _with_pad(image, target_height, target_width,
                     lambda images, size: resize(images, size, method, antialias=antialias))

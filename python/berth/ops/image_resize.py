"""image_resize.py - Images in another size."""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, gen, scopes, static_value
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

_BILINEAR, _NEAREST, _BICUBIC, _AREA = (0, 'bilinear'), (1, 'nearest'), (2, 'bicubic'), (3, 'area')
_FILTERS = {name: name for name in ('lanczos3', 'lanczos5', 'gaussian', 'mitchellcubic')}
_ANTIALIAS = {'bilinear': 'triangle', 'bicubic': 'keyscubic', **_FILTERS}


def _static_size(images: Any, size: Any) -> list[Any]:
    """Returns what is known of the new shape."""
    known = static_value.get_static_value(size)
    height, width = (None, None) if known is None else (int(n) for n in known)
    return [images.shape.as_list()[0], height, width, images.shape.as_list()[3]]


def resize_bilinear(images: Any, size: Any, align_corners: bool = False, name: str | None = None,
                    half_pixel_centers: bool = False) -> Any:
    """Brings a batch of images to a size; a pixel is a mean of the four around its place."""
    return gen.apply('ResizeBilinear', name, {'images': images, 'size': size}, {
        'align_corners': align_corners, 'half_pixel_centers': half_pixel_centers})


def resize_nearest_neighbor(images: Any, size: Any, align_corners: bool = False, name: str | None = None,
                            half_pixel_centers: bool = False) -> Any:
    """Brings a batch of images to a size; a pixel is the one at its place."""
    return gen.apply('ResizeNearestNeighbor', name, {'images': images, 'size': size}, {
        'align_corners': align_corners, 'half_pixel_centers': half_pixel_centers})


def resize_bicubic(images: Any, size: Any, align_corners: bool = False, name: str | None = None,
                   half_pixel_centers: bool = False) -> Any:
    """Brings a batch of images to a size; a pixel is made of the sixteen around its place."""
    return gen.apply('ResizeBicubic', name, {'images': images, 'size': size}, {
        'align_corners': align_corners, 'half_pixel_centers': half_pixel_centers})


def resize_area(images: Any, size: Any, align_corners: bool = False, name: str | None = None) -> Any:
    """Brings a batch of images to a size; a pixel is the mean of what it covers."""
    return gen.apply('ResizeArea', name, {'images': images, 'size': size}, {'align_corners': align_corners})


def _area(images: Any, size: Any, align_corners: bool, name: Any, half_pixel_centers: bool) -> Any:
    """Takes what the other functions take: an area has no middle."""
    del half_pixel_centers
    return resize_area(images, size, align_corners, name)


def _resizer(method: Any, align_corners: bool, half_pixel_centers: bool, name: Any = None) -> Any:
    """Returns the function that makes images of a size."""
    kinds = {**dict.fromkeys(_BILINEAR, resize_bilinear), **dict.fromkeys(_NEAREST, resize_nearest_neighbor),
             **dict.fromkeys(_BICUBIC, resize_bicubic), **dict.fromkeys(_AREA, _area)}
    if method not in kinds:
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
    kernel = (_ANTIALIAS if antialias else _FILTERS).get(method)
    resizer = _resizer(method, False, True) if kernel is None else _filtered(kernel, antialias)
    return _resized(images, size, resizer, preserve_aspect_ratio, name, False)


def _filtered(kernel: str, antialias: bool) -> Any:
    """Returns the function that makes images of a size with a filter."""
    def resizer(images: Any, size: Any) -> Any:
        scale = (math_ops.cast(size, dtypes.float32)
                 / math_ops.cast(array_ops.shape(images)[1:3], dtypes.float32))
        return gen.apply('ScaleAndTranslate', None, {
            'images': images, 'size': size, 'scale': scale, 'translation': array_ops.zeros([2])},
            {'kernel_type': kernel, 'antialias': antialias})
    return resizer


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

"""image_ops.py - Images: flips, crops, brightness, contrast, standardisation."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, flow_ops, math_ops, order_ops, random_ops, reduce_ops


def _checked(image: Any, ranks: tuple[int, ...]) -> Any:
    """Returns the image behind the node that TensorFlow hangs its checks on."""
    rank = image.shape.rank
    if rank is None:
        raise ValueError("'image' must be fully defined: Berth needs to know its number of dimensions.")
    if rank not in ranks:
        kinds = ' or '.join(f'{r} dimensions' for r in ranks)
        raise ValueError(f"'image' (shape {image.shape}) must have {kinds}.")
    return order_ops.with_dependencies([], image)


def _flip(image: Any, axis: int, default: str) -> Any:
    """Mirrors along |axis| of a single image."""
    with scopes.name_scope(None, default, [image]):
        image = _checked(convert.convert_to_tensor(image, name='image'), (3, 4))
        shape = image.shape
        flipped = array_ops.reverse(image, [axis + shape.rank - 3])
        flipped.set_shape(shape)
        return flipped


def flip_left_right(image: Any) -> Any:
    """Mirrors an image, or each of a batch."""
    return _flip(image, 1, 'flip_left_right')


def flip_up_down(image: Any) -> Any:
    """Turns an image, or each of a batch, upside down."""
    return _flip(image, 0, 'flip_up_down')


def _random_flip(image: Any, axis: int, seed: int | None, default: str) -> Any:
    with scopes.name_scope(None, default, [image]) as scope:
        image = _checked(convert.convert_to_tensor(image, name='image'), (3,))
        chance = random_ops.random_uniform([], 0, 1.0, seed=seed)
        is_flipped = math_ops.less(chance, .5)
        if scopes.executing_eagerly():
            return array_ops.reverse(image, [axis]) if is_flipped else image
        return flow_ops.cond(is_flipped, lambda: array_ops.reverse(image, [axis]), lambda: image, name=scope)


def random_flip_left_right(image: Any, seed: int | None = None) -> Any:
    """Mirrors an image with a probability of one half."""
    return _random_flip(image, 1, seed, 'random_flip_left_right')


def random_flip_up_down(image: Any, seed: int | None = None) -> Any:
    """Turns an image upside down with a probability of one half."""
    return _random_flip(image, 0, seed, 'random_flip_up_down')


def _as_float(image: Any) -> Any:
    image = convert.convert_to_tensor(image, name='image')
    if not image.dtype.is_floating:
        raise TypeError(f'Berth adjusts images of floats only, not of {image.dtype.name}: use tf.cast first.')
    return image


def adjust_brightness(image: Any, delta: Any) -> Any:
    """Adds |delta| to every pixel."""
    with scopes.name_scope(None, 'adjust_brightness', [image, delta]) as name:
        image = _as_float(image)
        return array_ops.identity(math_ops.add(image, math_ops.cast(delta, image.dtype), name=name))


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """Adds a random amount between -max_delta and max_delta."""
    if max_delta < 0:
        raise ValueError('max_delta must be non-negative.')
    return adjust_brightness(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Moves every pixel away from the mean of its channel by a factor."""
    with scopes.name_scope(None, 'adjust_contrast', [images, contrast_factor]) as name:
        images = _as_float(images)
        return array_ops.identity(gen.apply(
            'AdjustContrastv2', name, {'images': images, 'contrast_factor': contrast_factor}))


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """Changes the contrast by a random factor between |lower| and |upper|."""
    if upper <= lower:
        raise ValueError('upper must be > lower.')
    if lower < 0:
        raise ValueError('lower must be non-negative.')
    return adjust_contrast(image, random_ops.random_uniform([], lower, upper, seed=seed))


def per_image_standardization(image: Any) -> Any:
    """Makes the mean of each image zero and its variance one."""
    with scopes.name_scope(None, 'per_image_standardization', [image]) as scope:
        image = _checked(convert.convert_to_tensor(image, name='image'), (3, 4))
        if image.dtype.name not in ('float16', 'float32'):
            image = math_ops.cast(image, dtypes.float32)
        pixels = reduce_ops.reduce_prod(array_ops.shape(image)[-3:])
        mean = reduce_ops.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = reduce_ops.reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        # Uniform images are not divided by zero.
        least = math_ops.rsqrt(math_ops.cast(pixels, image.dtype))
        divisor = math_ops.maximum(deviation, least)
        return math_ops.divide(image - mean, divisor, name=scope)


def _batch(image: Any) -> tuple[Any, bool]:
    """Returns an image as a batch, and whether it was one already."""
    image = convert.convert_to_tensor(image, name='image')
    if image.shape.rank == 3:
        return array_ops.expand_dims(image, 0), False
    return image, True


def _single(image: Any, is_batch: bool) -> Any:
    return image if is_batch else array_ops.squeeze(image, axis=[0])


def _sizes(image: Any) -> list[int]:
    """The static height and width of a batch."""
    sizes = image.shape.as_list()[1:3]
    if None in sizes:
        raise ValueError('Berth needs to know the height and width of an image when the graph is built.')
    return sizes


def crop_to_bounding_box(image: Any, offset_height: int, offset_width: int, target_height: int,
                         target_width: int) -> Any:
    """Cuts a rectangle out of an image, or of each of a batch."""
    with scopes.name_scope(None, 'crop_to_bounding_box', [image]):
        image, is_batch = _batch(image)
        height, width = _sizes(image)
        if offset_height < 0 or offset_width < 0:
            raise ValueError('offset_height and offset_width must be >= 0.')
        if offset_height + target_height > height or offset_width + target_width > width:
            raise ValueError('the rectangle must lie inside the image.')
        image = _checked(image, (4,))
        begin = array_ops.stack([0, offset_height, offset_width, 0])
        size = array_ops.stack([array_ops.shape(image)[0], target_height, target_width, array_ops.shape(image)[3]])
        cropped = array_ops.slice(image, begin, size)
        cropped.set_shape([image.shape.as_list()[0], target_height, target_width, image.shape.as_list()[3]])
        return _single(cropped, is_batch)


def pad_to_bounding_box(image: Any, offset_height: int, offset_width: int, target_height: int,
                        target_width: int) -> Any:
    """Puts zeros around an image, or around each of a batch."""
    with scopes.name_scope(None, 'pad_to_bounding_box', [image]):
        image, is_batch = _batch(image)
        height, width = _sizes(image)
        below, right = target_height - offset_height - height, target_width - offset_width - width
        if min(offset_height, offset_width, below, right) < 0:
            raise ValueError('the image must fit into the target.')
        image = _checked(image, (4,))
        paddings = array_ops.reshape(array_ops.stack([0, 0, offset_height, below, offset_width, right, 0, 0]), [4, 2])
        padded = array_ops.pad(image, paddings)
        padded.set_shape([image.shape.as_list()[0], target_height, target_width, image.shape.as_list()[3]])
        return _single(padded, is_batch)


def _centred(image: Any, target_height: int, target_width: int, default: str) -> Any:
    """Crops or pads, as much on one side as on the other."""
    with scopes.name_scope(None, default, [image]):
        image, is_batch = _batch(image)
        image = _checked(image, (4,))
        if target_height <= 0 or target_width <= 0:
            raise ValueError('target_height and target_width must be > 0.')
        height, width = _sizes(image)
        image = crop_to_bounding_box(image, max(height - target_height, 0) // 2, max(width - target_width, 0) // 2,
                                     min(target_height, height), min(target_width, width))
        image = pad_to_bounding_box(image, max(target_height - height, 0) // 2, max(target_width - width, 0) // 2,
                                    target_height, target_width)
        return _single(_checked(image, (4,)), is_batch)


def resize_image_with_crop_or_pad(image: Any, target_height: int, target_width: int) -> Any:
    """Brings an image to a size by cutting off or adding zeros on both sides."""
    return _centred(image, target_height, target_width, 'resize_image_with_crop_or_pad')


resize_with_crop_or_pad = resize_image_with_crop_or_pad
random_crop = random_ops.random_crop

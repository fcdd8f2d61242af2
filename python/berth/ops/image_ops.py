"""image_ops.py - Images: flips, turns, crops, pads, standardisation."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, scopes, static_value
from berth.ops import array_ops, flow_ops, math_ops, order_ops, random_ops, reduce_ops


def checked(image: Any, ranks: tuple[int, ...], checks: Any = ()) -> Any:
    """Returns the image behind the node that TensorFlow hangs its checks on."""
    rank = image.shape.rank
    if rank is None:
        raise ValueError("'image' must be fully defined: Berth needs to know its number of dimensions.")
    if rank not in ranks:
        if rank < 3:
            raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
        kinds = 'either 3 or 4 dimensions' if len(ranks) > 1 else f'{ranks[0]} dimensions'
        raise ValueError(f"'image' (shape {image.shape}) must have {kinds}.")
    return order_ops.with_dependencies(list(checks), image)


def _flip(image: Any, axis: int, default: str) -> Any:
    """Mirrors along |axis| of a single image."""
    with scopes.name_scope(None, default, [image]):
        image = checked(convert.convert_to_tensor(image, name='image'), (3, 4))
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
        image = convert.convert_to_tensor(image, name='image')
        if image.shape.rank is None:
            return flow_ops.cond(math_ops.equal(array_ops.rank(image), 3), lambda: _random_flip_one(image, axis, seed, None),
                                 lambda: _random_flip_each(image, axis, seed))
        image = checked(image, (3, 4))
        if image.shape.rank == 4:
            return _random_flip_each(image, axis, seed)
        return _random_flip_one(image, axis, seed, scope)


def _random_flip_one(image: Any, axis: int, seed: int | None, name: str | None) -> Any:
    """Flips an image, or not."""
    is_flipped = math_ops.less(random_ops.random_uniform([], 0, 1.0, seed=seed), .5)
    if scopes.executing_eagerly():
        return array_ops.reverse(image, [axis]) if is_flipped else image
    return flow_ops.cond(is_flipped, lambda: array_ops.reverse(image, [axis]), lambda: image, name=name)


def _random_flip_each(image: Any, axis: int, seed: int | None) -> Any:
    """Flips some images of a batch."""
    count = array_ops.shape(image)[0]
    chances = array_ops.reshape(random_ops.random_uniform([count], 0, 1.0, seed=seed), [count, 1, 1, 1])
    flips = math_ops.cast(math_ops.round(chances), image.dtype)
    return flips * array_ops.reverse(image, [axis + 1]) + (1 - flips) * image


def random_flip_left_right(image: Any, seed: int | None = None) -> Any:
    """Mirrors an image, or each of a batch, with a probability of one half."""
    return _random_flip(image, 1, seed, 'random_flip_left_right')


def random_flip_up_down(image: Any, seed: int | None = None) -> Any:
    """Turns an image, or each of a batch, upside down with a probability of one half."""
    return _random_flip(image, 0, seed, 'random_flip_up_down')


def per_image_standardization(image: Any) -> Any:
    """Makes the mean of each image zero and its variance one."""
    with scopes.name_scope(None, 'per_image_standardization', [image]) as scope:
        image = checked(convert.convert_to_tensor(image, name='image'), (3, 4))
        if image.dtype.name not in ('float16', 'float32'):
            image = math_ops.cast(image, dtypes.float32)
        pixels = reduce_ops.reduce_prod(array_ops.shape(image)[-3:])
        mean = reduce_ops.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = reduce_ops.reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        # Uniform images are not divided by zero.
        least = math_ops.rsqrt(math_ops.cast(pixels, image.dtype))
        divisor = math_ops.maximum(deviation, least)
        return math_ops.divide(image - mean, divisor, name=scope)


def as_batch(image: Any) -> tuple[Any, bool]:
    """Returns an image as a batch, and whether it was one already."""
    image = convert.convert_to_tensor(image, name='image')
    if image.shape.rank == 3:
        return array_ops.expand_dims(image, 0), False
    if image.shape.rank != 4:
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return image, True


def single(image: Any, is_batch: bool) -> Any:
    """Returns the only image, if it was not a batch."""
    return image if is_batch else array_ops.squeeze(image, axis=[0])


def sizes(image: Any) -> list[Any]:
    """Returns the height and width of a batch: numbers where they are known, else tensors."""
    known = image.shape.as_list()[1:3]
    if None not in known:
        return known
    shape = array_ops.shape(image)
    return [shape[i + 1] if size is None else size for i, size in enumerate(known)]


def _most(first: Any, second: Any) -> Any:
    """Returns the larger of two sizes."""
    is_later = convert.is_tensor(first) or convert.is_tensor(second)
    return math_ops.maximum(first, second) if is_later else max(first, second)


def _least(first: Any, second: Any) -> Any:
    """Returns the smaller of two sizes."""
    is_later = convert.is_tensor(first) or convert.is_tensor(second)
    return math_ops.minimum(first, second) if is_later else min(first, second)


def _known(*values: Any) -> bool:
    """True where all are numbers, or tensors whose values are there."""
    return all(static_value.get_static_value(v) is not None if convert.is_tensor(v) else True for v in values)


def _require(holds: Any, text: str) -> list[Any]:
    """Raises when something does not hold that is known now; else returns the check for later."""
    if not convert.is_tensor(holds) or scopes.executing_eagerly():
        if not holds:
            raise ValueError(text)
        return []
    return [flow_ops.Assert(holds, [text])]


def check_targets(target_height: Any, target_width: Any) -> None:
    """Raises ValueError for a size that no image has."""
    for size, text in ((target_width, 'target_width must be > 0.'), (target_height, 'target_height must be > 0.')):
        if _known(size):
            _require(size > 0, text)


def _static(value: Any) -> Any:
    """Returns a number that is known, else None."""
    known = static_value.get_static_value(value) if convert.is_tensor(value) else value
    return None if known is None else int(known)


def crop_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any,
                         target_width: Any) -> Any:
    """Cuts a rectangle out of an image, or of each of a batch."""
    with scopes.name_scope(None, 'crop_to_bounding_box', [image]):
        image, is_batch = as_batch(image)
        height, width = sizes(image)
        checks = [_require(offset_width >= 0, 'offset_width must be >= 0.'),
                  _require(offset_height >= 0, 'offset_height must be >= 0.'),
                  _require(target_width > 0, 'target_width must be > 0.'),
                  _require(target_height > 0, 'target_height must be > 0.'),
                  _require(width >= target_width + offset_width, 'width must be >= target + offset.'),
                  _require(height >= target_height + offset_height, 'height must be >= target + offset.')]
        image = checked(image, (4,), [c for check in checks for c in check])
        begin = array_ops.stack([0, offset_height, offset_width, 0])
        size = array_ops.stack([array_ops.shape(image)[0], target_height, target_width, array_ops.shape(image)[3]])
        cropped = array_ops.slice(image, begin, size)
        known = image.shape.as_list()
        cropped.set_shape([known[0], _static(target_height), _static(target_width), known[3]])
        return single(cropped, is_batch)


def pad_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any,
                        target_width: Any) -> Any:
    """Puts zeros around an image, or around each of a batch."""
    with scopes.name_scope(None, 'pad_to_bounding_box', [image]):
        image, is_batch = as_batch(image)
        height, width = sizes(image)
        below, right = target_height - offset_height - height, target_width - offset_width - width
        checks = [_require(offset_height >= 0, 'offset_height must be >= 0'),
                  _require(offset_width >= 0, 'offset_width must be >= 0'),
                  _require(right >= 0, 'width must be <= target - offset'),
                  _require(below >= 0, 'height must be <= target - offset')]
        image = checked(image, (4,), [c for check in checks for c in check])
        paddings = array_ops.reshape(array_ops.stack([0, 0, offset_height, below, offset_width, right, 0, 0]), [4, 2])
        padded = array_ops.pad(image, paddings)
        known = image.shape.as_list()
        padded.set_shape([known[0], _static(target_height), _static(target_width), known[3]])
        return single(padded, is_batch)


def central_crop(image: Any, central_fraction: Any) -> Any:
    """Keeps the middle of an image, or of each of a batch."""
    with scopes.name_scope(None, 'central_crop', [image]):
        image = convert.convert_to_tensor(image, name='image')
        fraction = static_value.get_static_value(central_fraction) if convert.is_tensor(central_fraction) \
            else central_fraction
        if fraction is not None and (fraction <= 0.0 or fraction > 1.0):
            raise ValueError('central_fraction must be within (0, 1]')
        if fraction == 1.0:
            return image
        rank = image.shape.rank
        if rank is not None and rank < 3:
            raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
        if rank not in (3, 4):
            raise ValueError(f'`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {rank}.')
        return _middle(image, math_ops.cast(central_fraction, dtypes.float64) if fraction is None else float(fraction))


def _middle(image: Any, fraction: Any) -> Any:
    """Cuts off both sides of the second and third dimension from the end."""
    is_known = not convert.is_tensor(fraction)
    known = image.shape.as_list()
    begin: list[Any] = [0] * image.shape.rank
    size: list[Any] = [-1] * image.shape.rank
    result = list(known)
    for axis in (image.shape.rank - 3, image.shape.rank - 2):
        if known[axis] is not None and is_known:
            begin[axis] = int((known[axis] - known[axis] * fraction) / 2)
            result[axis] = size[axis] = known[axis] - 2 * begin[axis]
            continue
        whole = array_ops.shape(image)[axis]
        result[axis] = None
        double = math_ops.cast(whole, dtypes.float64)
        begin[axis] = math_ops.cast((double - double * fraction) / 2, dtypes.int32)
        size[axis] = whole - begin[axis] * 2
    cropped = array_ops.slice(image, array_ops.stack(begin), array_ops.stack(size))
    cropped.set_shape(result)
    return cropped


def _centred(image: Any, target_height: int, target_width: int, default: str) -> Any:
    """Crops or pads, as much on one side as on the other."""
    with scopes.name_scope(None, default, [image]):
        image, is_batch = as_batch(image)
        image = checked(image, (4,))
        check_targets(target_height, target_width)
        height, width = sizes(image)
        image = crop_to_bounding_box(image, _most(height - target_height, 0) // 2, _most(width - target_width, 0) // 2,
                                     _least(target_height, height), _least(target_width, width))
        image = pad_to_bounding_box(image, _most(target_height - height, 0) // 2, _most(target_width - width, 0) // 2,
                                    target_height, target_width)
        return single(checked(image, (4,)), is_batch)


def resize_image_with_crop_or_pad(image: Any, target_height: int, target_width: int) -> Any:
    """Brings an image to a size by cutting off or adding zeros on both sides."""
    return _centred(image, target_height, target_width, 'resize_image_with_crop_or_pad')


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """Turns an image, or each of a batch, by quarters of a circle against the clock."""
    with scopes.name_scope(name, 'rot90', [image, k]):
        image = convert.convert_to_tensor(image, name='image')
        _check_rank(image)
        turns = convert.convert_to_tensor(k, dtype=dtypes.int32, name='k')
        if turns.shape.rank:
            raise ValueError(f'Shape {turns.shape} must have rank 0')
        known = static_value.get_static_value(turns)
        first = image.shape.rank - 3
        order = [*range(first), first + 1, first, first + 2]
        ways = [lambda: image, lambda: array_ops.transpose(array_ops.reverse(image, [first + 1]), order),
                lambda: array_ops.reverse(image, [first, first + 1]),
                lambda: array_ops.reverse(array_ops.transpose(image, order), [first + 1])]
        if known is not None:
            return ways[int(known) % 4]()
        turns = math_ops.floormod(turns, 4)
        turned = flow_ops.case([(math_ops.equal(turns, i), ways[i]) for i in (1, 2, 3)], default=ways[0], exclusive=True)
        size = image.shape.as_list()
        size[first] = size[first + 1] = None
        turned.set_shape(size)
        return turned


def _check_rank(image: Any) -> None:
    rank = image.shape.rank
    if rank is not None and rank < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if rank not in (3, 4):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")


def transpose(image: Any, name: str | None = None) -> Any:
    """Swaps the height and width of an image, or of each of a batch."""
    with scopes.name_scope(name, 'transpose', [image]):
        image = convert.convert_to_tensor(image, name='image')
        _check_rank(image)
        order = [1, 0, 2] if image.shape.rank == 3 else [0, 2, 1, 3]
        return array_ops.transpose(image, order, name='transpose')


resize_with_crop_or_pad = resize_image_with_crop_or_pad
random_crop = random_ops.random_crop

"""image_quality.py - How images change from pixel to pixel, and how alike two of them are."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth.framework import convert, dtypes, scopes
from berth.ops import array_ops, conv_ops, flow_ops, math_ops, nn_ops, pool_ops, reduce_ops
from berth.ops.image_color import convert_image_dtype

_SCALE_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
_SOBEL = (((-1, -2, -1), (0, 0, 0), (1, 2, 1)), ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1)))


def image_gradients(image: Any) -> tuple[Any, Any]:
    """Returns how much each pixel differs from the one below it, and from the one to its right."""
    image = convert.convert_to_tensor(image)
    if image.shape.rank != 4:
        raise ValueError(f'image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}.')
    sizes = array_ops.shape(image)
    batch, height, width, depth = array_ops.unstack(sizes)
    down = image[:, 1:, :, :] - image[:, :-1, :, :]
    across = image[:, :, 1:, :] - image[:, :, :-1, :]
    last = array_ops.stack([batch, 1, width, depth])
    down = array_ops.concat([down, array_ops.zeros(last, image.dtype)], 1)
    down = array_ops.reshape(down, sizes)
    last = array_ops.stack([batch, height, 1, depth])
    across = array_ops.concat([across, array_ops.zeros(last, image.dtype)], 2)
    return down, array_ops.reshape(across, sizes)


def sobel_edges(image: Any) -> Any:
    """Returns the edges of images, downwards and across, in a dimension of their own."""
    image = convert.convert_to_tensor(image)
    known, sizes = image.shape, array_ops.shape(image)
    kernels = np.expand_dims(np.transpose(np.asarray(_SOBEL), (1, 2, 0)), -2)
    filters = array_ops.tile(convert.constant(kernels, dtype=image.dtype), [1, 1, sizes[-1], 1], name='sobel_filters')
    padded = array_ops.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode='REFLECT')
    edges = conv_ops.depthwise_conv2d(padded, filters, [1, 1, 1, 1], 'VALID')
    edges = array_ops.reshape(edges, shape=array_ops.concat([sizes, [len(_SOBEL)]], 0))
    edges.set_shape(known.concatenate([len(_SOBEL)]))
    return edges


def _checked_shapes(first: Any, second: Any) -> tuple[Any, Any, list]:
    """Returns the shapes of two images, and what fails when these do not go together."""
    a, b = first.shape.with_rank_at_least(3), second.shape.with_rank_at_least(3)
    a[-3:].assert_is_compatible_with(b[-3:])
    if a.rank is not None and b.rank is not None:
        for one, other in zip(reversed(a.dims[:-3]), reversed(b.dims[:-3])):
            if not (one == 1 or other == 1 or one.is_compatible_with(other)):
                raise ValueError(f'Two images are not compatible: {a} and {b}')
    a, b = array_ops.shape_n([first, second])
    checks = [flow_ops.Assert(math_ops.greater_equal(array_ops.size(a), 3), [a, b], summarize=10),
              flow_ops.Assert(reduce_ops.reduce_all(math_ops.equal(a[-3:], b[-3:])), [a, b], summarize=10)]
    return a, b, checks


def _bell(size: Any, sigma: Any) -> Any:
    """Returns a filter with the shape of a bell."""
    places = math_ops.cast(math_ops.range(size), sigma.dtype)
    places -= math_ops.cast(size - 1, sigma.dtype) / 2.0
    bell = math_ops.square(places)
    bell *= -0.5 / math_ops.square(sigma)
    bell = array_ops.reshape(bell, shape=[1, -1]) + array_ops.reshape(bell, shape=[-1, 1])
    bell = nn_ops.softmax(array_ops.reshape(bell, shape=[1, -1]))
    return array_ops.reshape(bell, shape=[size, size, 1, 1])


def _measures(x: Any, y: Any, smooth: Any, most: Any, k1: float, k2: float) -> tuple[Any, Any]:
    """Returns how alike two images are in light, and in contrast and structure."""
    c1, c2 = (k1 * most) ** 2, (k2 * most) ** 2
    mean_x, mean_y = smooth(x), smooth(y)
    both = mean_x * mean_y * 2.0
    squares = math_ops.square(mean_x) + math_ops.square(mean_y)
    light = (both + c1) / (squares + c1)
    joint = smooth(x * y) * 2.0
    spread = smooth(math_ops.square(x) + math_ops.square(y))
    c2 *= 1.0
    return light, (joint - both + c2) / (spread - squares + c2)


def _per_channel(first: Any, second: Any, most: Any, filter_size: int, filter_sigma: float, k1: float, k2: float,
                 is_map: bool = False) -> tuple[Any, Any]:
    size = convert.constant(filter_size, dtype=dtypes.int32)
    sigma = convert.constant(filter_sigma, dtype=first.dtype)
    shapes = array_ops.shape_n([first, second])
    checks = [flow_ops.Assert(reduce_ops.reduce_all(math_ops.greater_equal(shape[-3:-1], size)), [shape, size],
                              summarize=8) for shape in shapes]
    with scopes.control_dependencies(checks):
        first = array_ops.identity(first)
    kernel = array_ops.tile(_bell(size, sigma), multiples=[1, 1, shapes[0][-1], 1])

    def smooth(x: Any) -> Any:
        shape = array_ops.shape(x)
        x = array_ops.reshape(x, shape=array_ops.concat([[-1], shape[-3:]], 0))
        y = conv_ops.depthwise_conv2d(x, kernel, strides=[1, 1, 1, 1], padding='VALID')
        return array_ops.reshape(y, array_ops.concat([shape[:-3], array_ops.shape(y)[1:]], 0))

    light, structure = _measures(first, second, smooth, most, k1, k2)
    if is_map:
        return light * structure, structure
    axes = convert.constant([-3, -2], dtype=dtypes.int32)
    return reduce_ops.reduce_mean(light * structure, axes), reduce_ops.reduce_mean(structure, axes)


def _as_floats(first: Any, second: Any, most: Any, checks: list) -> tuple[Any, Any, Any]:
    with scopes.control_dependencies(checks):
        first = array_ops.identity(first)
    most = convert_image_dtype(math_ops.cast(most, first.dtype), dtypes.float32)
    return convert_image_dtype(first, dtypes.float32), convert_image_dtype(second, dtypes.float32), most


def ssim(img1: Any, img2: Any, max_val: Any, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01,
         k2: float = 0.03, return_index_map: bool = False) -> Any:
    """Returns how alike the structures of two images are."""
    with scopes.name_scope(None, 'SSIM', [img1, img2]):
        first = convert.convert_to_tensor(img1, name='img1')
        second = convert.convert_to_tensor(img2, name='img2')
        checks = _checked_shapes(first, second)[2]
        first, second, most = _as_floats(first, second, max_val, checks)
        value, _ = _per_channel(first, second, most, filter_size, filter_sigma, k1, k2, return_index_map)
        return reduce_ops.reduce_mean(value, [-1])


def _halved(images: list, tails: list, heads: list) -> tuple[list, list]:
    """Returns images of half the size, and the sizes of these."""
    divisor = [1, 2, 2, 1]
    flat = [array_ops.reshape(x, array_ops.concat([[-1], tail], 0)) for x, tail in zip(images, tails)]
    rest = tails[0] % convert.constant(divisor[1:], dtype=dtypes.int32)

    def filled() -> list:
        padding = array_ops.pad(array_ops.expand_dims(rest, -1), [[1, 0], [1, 0]])
        return [array_ops.pad(x, padding, mode='SYMMETRIC') for x in flat]

    is_odd = reduce_ops.reduce_any(math_ops.not_equal(rest, 0))
    padded = flow_ops.cond(is_odd, filled, lambda: flat)
    half = [pool_ops.avg_pool(x, ksize=divisor, strides=divisor, padding='VALID') for x in padded]
    tails = [shape[1:] for shape in array_ops.shape_n(half)]
    return [array_ops.reshape(x, array_ops.concat([head, tail], 0)) for x, head, tail in zip(half, heads, tails)], tails


def ssim_multiscale(img1: Any, img2: Any, max_val: Any, power_factors: Any = _SCALE_POWERS, filter_size: int = 11,
                    filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03) -> Any:
    """Returns how alike the structures of two images are, seen from several distances."""
    with scopes.name_scope(None, 'MS-SSIM', [img1, img2]):
        first = convert.convert_to_tensor(img1, name='img1')
        second = convert.convert_to_tensor(img2, name='img2')
        *shapes, checks = _checked_shapes(first, second)
        first, second, most = _as_floats(first, second, max_val, checks)
        images, structures = [first, second], []
        heads, tails = [s[:-3] for s in shapes], [s[-3:] for s in shapes]
        value = None
        for scale in range(len(power_factors)):
            with scopes.name_scope(None, f'Scale{scale}', images):
                if scale > 0:
                    images, tails = _halved(images, tails, heads)
                value, structure = _per_channel(*images, most, filter_size, filter_sigma, k1, k2)
                structures.append(nn_ops.relu(structure))
        structures[-1] = nn_ops.relu(value)
        together = math_ops.pow(array_ops.stack(structures, axis=-1), power_factors)
        return reduce_ops.reduce_mean(reduce_ops.reduce_prod(together, [-1]), [-1])

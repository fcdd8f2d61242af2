"""image.py - tf.contrib.image: images that are turned, moved and otherwise transformed."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, math_ops

_DTYPES = (dtypes.uint8, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64)


def _rows(values: Any, name: str) -> Any:
    """Returns a vector of numbers; one becomes a vector of one."""
    values = convert.convert_to_tensor(values, name=name, dtype=dtypes.float32)
    if values.shape.rank == 0:
        return array_ops.expand_dims(values, 0)
    if values.shape.rank == 1:
        return values
    raise TypeError(f'{name.title()} should have rank 0 or 1.')


def angles_to_projective_transforms(angles: Any, image_height: Any, image_width: Any, name: str | None = None) -> Any:
    """Returns the transforms that turn images around their middle, against the clock."""
    with scopes.name_scope(name, 'angles_to_projective_transforms'):
        angles = _rows(angles, 'angles')
        cosine, sine = math_ops.cos(angles)[:, None], math_ops.sin(angles)[:, None]
        across, down = image_width - 1, image_height - 1
        x = (across - (cosine * across - sine * down)) / 2.0
        y = (down - (sine * across + cosine * down)) / 2.0
        zeros = array_ops.zeros([array_ops.shape(angles)[0], 2], dtypes.float32)
        return array_ops.concat([cosine, -sine, x, sine, cosine, y, zeros], 1)


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> Any:
    """Returns the transforms that move images to the right and down."""
    with scopes.name_scope(name, 'translations_to_projective_transforms'):
        moves = convert.convert_to_tensor(translations, name='translations', dtype=dtypes.float32)
        if moves.shape.rank is None:
            raise TypeError('translation_or_translations rank must be statically known')
        if moves.shape.rank not in (1, 2):
            raise TypeError('Translations should have rank 1 or 2.')
        moves = moves[None] if moves.shape.rank == 1 else moves
        count = array_ops.shape(moves)[0]
        ones, zeros = (make([count, 1], dtypes.float32) for make in (array_ops.ones, array_ops.zeros))
        return array_ops.concat([ones, zeros, -moves[:, :1], zeros, ones, -moves[:, 1:], zeros, zeros], 1)


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """Returns transforms of eight numbers as matrices."""
    transforms = convert.convert_to_tensor(transforms)
    if transforms.shape.rank == 1:
        transforms = transforms[None]
    if transforms.shape.rank != 2:
        raise ValueError(f'Transforms should be 1D or 2D, got: {transforms}')
    ones = array_ops.ones([array_ops.shape(transforms)[0], 1])
    return array_ops.reshape(array_ops.concat([transforms, ones], 1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """Returns matrices as transforms of eight numbers."""
    matrices = convert.convert_to_tensor(transform_matrices)
    if matrices.shape.rank not in (2, 3):
        raise ValueError(f'Matrices should be 2D or 3D, got: {matrices}')
    flat = array_ops.reshape(matrices, [-1, 9])
    return (flat / flat[:, 8:])[:, :8]


def compose_transforms(*transforms: Any) -> Any:
    """Returns the transform that does several, one after another."""
    if not transforms:
        raise ValueError('transforms cannot be empty')
    with scopes.name_scope('compose_transforms'):
        whole = flat_transforms_to_matrices(transforms[0])
        for each in transforms[1:]:
            whole = math_ops.matmul(whole, flat_transforms_to_matrices(each))
        return matrices_to_flat_transforms(whole)


def transform(images: Any, transforms: Any, interpolation: str = 'NEAREST', output_shape: Any = None,
              name: str | None = None) -> Any:
    """Takes each place of the result from where a transform leads it."""
    with scopes.name_scope(name, 'transform'):
        given = convert.convert_to_tensor(images, name='images')
        transforms = convert.convert_to_tensor(transforms, name='transforms', dtype=dtypes.float32)
        if given.dtype.base_dtype not in _DTYPES:
            raise TypeError('Invalid dtype %s.' % given.dtype)
        rank = given.shape.rank
        if rank is None:
            raise TypeError('image_or_images rank must be statically known')
        if rank not in (2, 3, 4):
            raise TypeError('Images should have rank between 2 and 4.')
        if transforms.shape.rank not in (1, 2):
            raise TypeError('Transforms should have rank 1 or 2.')
        pictures = given if rank == 4 else given[None] if rank == 3 else given[None, :, :, None]
        sizes = array_ops.shape(pictures)[1:3] if output_shape is None else output_shape
        made = gen.apply('ImageProjectiveTransformV2', None, {
            'images': pictures, 'transforms': transforms if transforms.shape.rank == 2 else transforms[None],
            'output_shape': convert.convert_to_tensor(sizes, dtypes.int32)}, {'interpolation': interpolation.upper()})
        return made if rank == 4 else made[0] if rank == 3 else made[0, :, :, 0]


def _sides(images: Any) -> Any:
    """Returns height and width as numbers with a point."""
    rank = images.shape.rank
    if rank is None:
        raise TypeError('image_or_images rank must be statically known')
    if rank not in (2, 3, 4):
        raise TypeError('Images should have rank between 2 and 4.')
    first = int(rank == 4)
    return [math_ops.cast(array_ops.shape(images)[first + i], dtypes.float32) for i in (0, 1)]


def rotate(images: Any, angles: Any, interpolation: str = 'NEAREST', name: str | None = None) -> Any:
    """Turns images against the clock."""
    with scopes.name_scope(name, 'rotate'):
        given = convert.convert_to_tensor(images)
        if given.dtype.base_dtype not in _DTYPES:
            raise TypeError('Invalid dtype %s.' % given.dtype)
        height, width = _sides(given)
        return transform(given, angles_to_projective_transforms(angles, height, width), interpolation)


def translate(images: Any, translations: Any, interpolation: str = 'NEAREST', name: str | None = None) -> Any:
    """Moves images to the right and down."""
    with scopes.name_scope(name, 'translate'):
        return transform(images, translations_to_projective_transforms(translations), interpolation)

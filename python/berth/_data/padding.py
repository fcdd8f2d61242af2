"""padding - Batches of elements of different sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth._data import making, structure
from berth.eager.spec import TensorSpec
from berth.framework import convert, dtypes, static_value
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops


def _flat_shapes(form: Any, shapes: Any) -> list[Any]:
    """Returns what stands for each leaf of |form| in |shapes|, where rows of numbers are shapes."""
    if not structure.is_nested(form):
        return [shapes]
    wanted = structure.children(form)
    if isinstance(form, dict) != isinstance(shapes, dict) or isinstance(shapes, TensorShape):
        raise TypeError("The two structures don't have the same sequence type. Input structure has type "
                        f'{type(shapes)}, while shallow structure has type {type(form)}.')
    found = structure.children(shapes) if isinstance(shapes, dict) else list(shapes)
    if len(found) != len(wanted):
        raise ValueError("The two structures don't have the same number of elements.")
    return [leaf for child, item in zip(wanted, found) for leaf in _flat_shapes(child, item)]


def _fits(wide: TensorShape, own: TensorShape) -> bool:
    if wide.rank is None or own.rank is None:
        return True
    return wide.rank == own.rank and not any(
        w is not None and o is not None and w < o for w, o in zip(wide.as_list(), own.as_list()))


def _as_tensor(shape: Any, own: TensorShape) -> tuple[Any, TensorShape]:
    """Returns a shape as ops take it, and what is known of it."""
    try:
        known = TensorShape(shape) if not isinstance(shape, TensorShape) else shape
        dims = [-1 if dim is None else dim for dim in known.as_list()]
        tensor = convert.convert_to_tensor(dims, dtype=dtypes.int64)
    except (TypeError, ValueError):
        if isinstance(shape, (list, tuple)):
            from berth.ops import array_ops

            shape = array_ops.stack([convert.convert_to_tensor(-1 if d is None else d, dtype=dtypes.int64) for d in shape])
        tensor = convert.convert_to_tensor(shape)
        if tensor.dtype != dtypes.int64:
            raise TypeError(f'Padded shape {shape} must be a `tf.int64` vector tensor, but its element type was '
                            f'{tensor.dtype.name}.') from None
        value = static_value.get_static_value(tensor)
        known = TensorShape([None] * (tensor.shape.as_list()[0] or 0) if value is None else
                            [None if d < 0 else int(d) for d in value])
    if not _fits(known, own):
        raise ValueError(f'The padded shape {known} is not compatible with the shape {own} of the corresponding input '
                         'component.')
    return tensor, known


def _filling(value: Any, kind: Any) -> Any:
    """Returns what lies behind the end of a component."""
    if value is None:
        value = '' if kind == dtypes.string else convert.constant(0, kind) if kind == dtypes.bfloat16 else np.zeros(
            (), kind.as_numpy_dtype)
    tensor = convert.convert_to_tensor(value, name='padding_value')
    if not tensor.shape.is_compatible_with([]):
        raise ValueError(f'Invalid `padding_values`. `padding_values` values should be scalars, but got {tensor.shape}.')
    if tensor.dtype != kind:
        raise TypeError(f'Invalid `padding_values`. `padding_values` values type {tensor.dtype} does not match type {kind} '
                        'of the corresponding input component.')
    return tensor


def check_tensors(spec: Any) -> None:
    """Raises for elements that are not made of tensors."""
    for leaf in structure.flatten(spec):
        if not isinstance(leaf, TensorSpec):
            raise TypeError('`padded_batch` is only supported for datasets that produce tensor elements but type spec of '
                            f'elements in the input dataset is not a subclass of TensorSpec: `{leaf}`.')


def padded_batch(dataset: Any, batch_size: Any, padded_shapes: Any, padding_values: Any, drop_remainder: Any) -> Any:
    """Joins elements, made as large as the largest or as |padded_shapes| say."""
    spec = dataset.element_spec
    check_tensors(spec)
    own = structure.shapes(spec)
    if padded_shapes is None:
        for i, shape in enumerate(own):
            if shape.rank is None:
                raise ValueError(f'You must provide `padded_shapes` argument because component {i} has unknown rank.')
        wanted: list[Any] = list(own)
    else:
        wanted = _flat_shapes(spec, padded_shapes)
    size = making.number(batch_size, 'batch_size')
    pairs = [_as_tensor(shape, mine) for shape, mine in zip(wanted, own)]
    kinds = structure.types(spec)
    if padding_values is None or not structure.is_nested(padding_values):
        fillings = [_filling(padding_values, kind) for kind in kinds]
    else:
        fillings = [_filling(value, kind) for value, kind in zip(_flat_shapes(spec, padding_values), kinds)]
    drops = making.truth(drop_remainder, 'drop_remainder')
    known = static_value.get_static_value(drops)
    count = static_value.get_static_value(size) if known is not None and bool(known) else None
    front = TensorShape([None if count is None else int(count)])
    made = structure.pack(spec, iter([TensorSpec(front.concatenate(shape), kind) for (_, shape), kind in zip(pairs, kinds)]))
    from berth.framework import gen

    variant = gen.apply('PaddedBatchDatasetV2', None, {
        'input_dataset': dataset._variant_tensor, 'batch_size': size, 'padded_shapes': [tensor for tensor, _ in pairs],
        'padding_values': fillings, 'drop_remainder': drops}, {'output_shapes': structure.shapes(made)})
    return making.make('_PaddedBatchDataset', variant, made, (dataset,))


# ---- Elements of different lengths, without padding ----


def _rows_of(spec: Any, what: str) -> None:
    """Raises for an element that is no tensor, or has no length."""
    if not isinstance(spec, TensorSpec):
        raise TypeError(f'`{what}` requires an input dataset whose elements are tensors, but got elements of type {spec}.')


def ragged_batch(dataset: Any, size: Any, drops: bool, splits_dtype: Any) -> Any:
    """Joins vectors, or tensors whose first size differs, to ragged tensors; those of one shape are batched."""
    from berth.ops import math_ops
    from berth.ops.ragged_tensor import RaggedTensor

    spec, kind = dataset.element_spec, dtypes.as_dtype(splits_dtype)
    is_varied = [isinstance(leaf, TensorSpec) and not leaf.shape.is_fully_defined() for leaf in structure.flatten(spec)]
    for leaf, varied in zip(structure.flatten(spec), is_varied):
        _rows_of(leaf, 'ragged_batch')
        if varied and (leaf.shape.rank is None or None in leaf.shape.as_list()[1:]):
            raise NotImplementedError('tf.data.Dataset.ragged_batch: Berth joins elements that differ in their first size; '
                                      f'the shape of these is {leaf.shape}.')

    def measured(*element: Any) -> Any:
        leaves = structure.flatten(element[0] if type(spec) is not tuple else element)
        return tuple(leaves), tuple(array_ops.shape(leaf, out_type=kind)[0] for leaf, v in zip(leaves, is_varied) if v)

    def joined(leaves: Any, lengths: Any) -> Any:
        sizes = iter(lengths)
        made = []
        for leaf, varied in zip(leaves, is_varied):
            if not varied:
                made.append(leaf)
                continue
            size = next(sizes)
            rows = array_ops.boolean_mask(leaf, array_ops.sequence_mask(size, array_ops.shape(leaf, out_type=kind)[1]))
            splits = array_ops.concat([array_ops.zeros([1], kind), math_ops.cumsum(size)], 0)
            made.append(RaggedTensor.from_row_splits(rows, splits, validate=False))
        return structure.pack(spec, iter(made))

    return dataset.map(measured).padded_batch(size, drop_remainder=drops).map(joined)


def sparse_batch(dataset: Any, size: Any, row_shape: Any) -> Any:
    """Joins tensors no larger than |row_shape| to sparse tensors of it."""
    from berth.framework import scopes
    from berth.ops import flow_ops, math_ops, reduce_ops
    from berth.ops.sparse_tensor import SparseTensor, SparseTensorSpec

    _rows_of(dataset.element_spec, 'sparse_batch')
    wanted = TensorShape(row_shape).as_list()

    def made(x: Any) -> Any:
        found = array_ops.shape(x, out_type=dtypes.int64)
        shape = [-1 if side is None else side for side in wanted]
        limit = convert.convert_to_tensor(shape, dtype=dtypes.int64)
        limit = array_ops.where_v2(math_ops.equal(limit, -1), found, limit)
        fits = flow_ops.Assert(reduce_ops.reduce_all(math_ops.less_equal(found, limit)), [
            'Dense element is larger than row_shape: ', found, limit])
        with scopes.control_dependencies([fits]):
            places = array_ops.where_v2(array_ops.ones_like(x, dtype=dtypes.bool))
        return SparseTensor(places, array_ops.reshape(x, [-1]), limit)

    rows = dataset.map(made)
    rows._spec = SparseTensorSpec(wanted, dataset.element_spec.dtype)
    return rows.batch(size)

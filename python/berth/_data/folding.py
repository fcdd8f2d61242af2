"""folding - What looks at elements one after the other: reduce, scan, groups."""

from __future__ import annotations

from typing import Any

from berth._data import making, structure
from berth._data.function import StructuredFunction
from berth.eager.spec import TensorSpec
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import check_ops, math_ops, reduce_ops


def _state(value: Any) -> tuple[Any, Any]:
    """Returns a state of tensors, and its spec."""
    with scopes.name_scope('initial_state'):
        state = structure.normalize(tuple(value) if isinstance(value, list) else value)
    return state, structure.spec_of(state)


def _relaxed(own: Any, other: Any) -> Any:
    """Returns the spec of what is one or the other."""
    def both(a: Any, b: Any) -> Any:
        if not isinstance(a, TensorSpec):
            return a
        if a.dtype != b.dtype:
            return None
        rank = a.shape.rank if a.shape.rank == b.shape.rank else None
        if rank is None:
            return TensorSpec(None, a.dtype)
        return TensorSpec([x if x == y else None for x, y in zip(a.shape.as_list(), b.shape.as_list())], a.dtype)

    return structure.each(both, own, other)


def _check_state(spec: Any, given: Any, name: str, state: str) -> None:
    """Raises TypeError where a function gives another kind of state than it takes."""
    if structure.types(spec) != structure.types(given):
        raise TypeError(
            f'The element types for the new state must match the initial state. Expected '
            f'{structure.each(lambda s: s.dtype, spec)}; got {structure.each(lambda s: s.dtype, given)}.'
            if name == 'reduce' else
            f'The element types for the new state must match the initial state. Expected {structure.types(spec)}, got '
            f'{structure.types(given)}.')


def _trace(dataset: Any, spec: Any, python: Any, name: str, has_output: bool) -> tuple[StructuredFunction, Any]:
    """Traces a function of a state and an element, again while shapes of the state change."""
    for _ in range(10):
        function = StructuredFunction(python, f'Dataset.{name}()', (spec, dataset.element_spec))
        given = function.output_spec
        if has_output:
            if not isinstance(given, tuple) or len(given) != 2:
                raise TypeError('`scan_func` should return a pair consisting of new state and the output value but its '
                                f'return type is {given}.')
            given = given[0]
        _check_state(spec, given, name, 'state')
        wider = _relaxed(spec, given)
        if wider == spec:
            return function, spec
        spec = wider
    raise ValueError('the shapes of the state keep changing')


def reduce(dataset: Any, initial_state: Any, python: Any) -> Any:
    """Returns what a function makes of all elements."""
    state, spec = _state(initial_state)
    function, spec = _trace(dataset, spec, python, 'reduce', False)
    tensors = gen.apply('ReduceDataset', None, {
        'input_dataset': dataset._variant_tensor, 'initial_state': structure.to_tensors(spec, state),
        'other_arguments': function.captured}, {'f': function.name, 'Tstate': structure.types(spec),
                                        'Targuments': [t.dtype for t in function.captured], **making.element_attrs(spec)})
    return structure.from_tensors(spec, making.shaped(spec, tensors))


def scan(dataset: Any, initial_state: Any, python: Any) -> Any:
    """Calls a function with a state and each element."""
    state, spec = _state(initial_state)
    function, spec = _trace(dataset, spec, python, 'scan', True)
    return making.unary('ScanDataset', '_ScanDataset', dataset, {
        'initial_state': structure.to_tensors(spec, state), 'other_arguments': function.captured},
        function.output_spec[1], {'f': function.name, 'preserve_cardinality': True, 'Tstate': structure.types(spec),
                                  'Targuments': [t.dtype for t in function.captured]}, (function,))


def group_by_window(dataset: Any, key_func: Any, reduce_func: Any, window_size: Any, window_size_func: Any) -> Any:
    """Gathers elements of one key, and makes datasets of them."""
    if (window_size is not None and window_size_func) or not (window_size is not None or window_size_func):
        raise ValueError('Either the `window_size` argument or the `window_size_func` argument must be specified.')
    if window_size is not None:
        def window_size_func(_: Any) -> Any:
            return convert.convert_to_tensor(window_size, dtype=dtypes.int64)

    from berth._data.dataset import DatasetSpec

    number = TensorSpec((), dtypes.int64)
    key = StructuredFunction(lambda *args: math_ops.cast(key_func(*args), dtypes.int64), 'Dataset.group_by_window()',
                             dataset.element_spec)
    _check_number(key, 'key_func')
    size = StructuredFunction(lambda k: convert.convert_to_tensor(window_size_func(k), dtype=dtypes.int64),
                              'Dataset.group_by_window()', number)
    _check_number(size, 'window_size_func')
    fold = StructuredFunction(reduce_func, 'Dataset.group_by_window()', (number, DatasetSpec(dataset.element_spec)))
    if not isinstance(fold.output_spec, DatasetSpec):
        raise TypeError('Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return '
                        f'type is {fold.output_spec}.')
    return making.unary('GroupByWindowDataset', '_GroupByWindowDataset', dataset, {
        'key_func_other_arguments': key.captured, 'reduce_func_other_arguments': fold.captured,
        'window_size_func_other_arguments': size.captured}, fold.output_spec.element_spec, {
            'key_func': key.name, 'reduce_func': fold.name, 'window_size_func': size.name}, (key, fold, size))


def _check_number(function: StructuredFunction, name: str) -> None:
    spec = function.output_spec
    if not (isinstance(spec, TensorSpec) and spec.dtype == dtypes.int64 and spec.shape.is_compatible_with([])):
        raise ValueError(f'Invalid `{name}`. `{name}` must return a single `tf.int64` scalar tensor but its return type is '
                         f'{spec}.')


def bucket_by_sequence_length(dataset: Any, element_length_func: Any, bucket_boundaries: Any, bucket_batch_sizes: Any,
                              padded_shapes: Any, padding_values: Any, pad_to_bucket_boundary: bool, no_padding: bool,
                              drop_remainder: bool) -> Any:
    """Joins elements of about one length."""
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError('`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)='
                         f'{len(bucket_batch_sizes)}` and `len(bucket_boundaries)={len(bucket_boundaries)}`.')
    sizes = list(bucket_batch_sizes)
    lows = [dtypes.int32.min, *bucket_boundaries]
    highs = [*bucket_boundaries, dtypes.int32.max]

    def bucket_of(*args: Any) -> Any:
        length = math_ops.cast(element_length_func(*args), dtypes.int32)
        low, high = convert.constant(lows, dtypes.int32), convert.constant(highs, dtypes.int32)
        inside = math_ops.logical_and(math_ops.less_equal(low, length), math_ops.less(length, high))
        return reduce_ops.reduce_min(_where(inside))

    def size_of(bucket: Any) -> Any:
        return convert.constant(sizes, dtypes.int64)[bucket]

    def join(bucket: Any, grouped: Any) -> Any:
        size = size_of(bucket)
        if no_padding:
            return grouped.batch(size, drop_remainder=drop_remainder)
        filler: Any = None
        if pad_to_bucket_boundary:
            check = check_ops.assert_less(
                bucket, convert.constant(len(sizes) - 1, dtypes.int64),
                message='When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries).')
            with scopes.control_dependencies([check] if check is not None else []):
                filler = convert.constant(list(bucket_boundaries), dtypes.int64)[bucket] - 1
        return grouped.padded_batch(size, _filled(dataset.element_spec, padded_shapes, filler), padding_values,
                                    drop_remainder=drop_remainder)

    return group_by_window(dataset, bucket_of, join, None, size_of)


def _where(condition: Any) -> Any:
    from berth.ops import array_ops

    return array_ops.where(condition)


def _filled(spec: Any, shapes: Any, filler: Any) -> Any:
    """Returns padded shapes, with |filler| for what is not known."""
    from berth._data import padding

    padding.check_tensors(spec)
    flat = structure.shapes(spec) if shapes is None else padding._flat_shapes(spec, shapes)
    return structure.pack(spec, iter([[filler if dim is None else dim for dim in TensorShape(shape).as_list()]
                                      for shape in flat]))

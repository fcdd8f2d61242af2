"""functional_graph - map_fn, scan and folds where a graph is being built.

Elements are read from TensorArrays in a loop, and results are written to others. Where ops run at once
`functional_ops` has them.
"""

from __future__ import annotations

from typing import Any

from berth.framework import convert, nest, scopes
from berth.ops import array_ops, flow_ops, map_parts
from berth.ops.tensor_array_ops import TensorArray


def _size(tensor: Any) -> Any:
    """Returns how many elements there are, if that is known."""
    return tensor.shape.with_rank_at_least(1).as_list()[0] if tensor.shape.rank is not None else None


def _common_size(tensors: list[Any]) -> Any:
    """Returns how many elements all have, if that is known; ValueError when they differ."""
    first = _size(tensors[0])
    for tensor in tensors[1:]:
        size = _size(tensor)
        if None not in (first, size) and first != size:
            raise ValueError(f'Dimensions {first} and {size} are not compatible')
    return first


def _stacked(arrays: list[Any], size: Any) -> list[Any]:
    """Returns what was written to |arrays|, joined; |size| may be known."""
    results = [array.stack() for array in arrays]
    for result in results:
        if result.shape.rank is not None:
            result.set_shape([size, *result.shape.as_list()[1:]])
    return results


# ---- Maps ----


def map_fn(fn: Any, elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: bool = True,
           swap_memory: bool = False, infer_shape: bool = True, name: str | None = None,
           fn_output_signature: Any = None) -> Any:
    """Returns what |fn| gives for each element, joined."""
    signature = dtype if fn_output_signature is None else fn_output_signature
    form = elems if signature is None else signature
    flat = nest.flatten(elems)
    if not flat:
        raise ValueError('elems must be a Tensor or (possibly nested) sequence of Tensors. '
                         f'Got {elems}, which does not contain any Tensors.')
    with scopes.name_scope(name, 'map', flat):
        flat = [map_parts.elements_of(item, 'elem') for item in flat]
        if flat[0].shape.rank == 0:
            raise ValueError('Elements in elems must be 1+ dimensional Tensors, not scalars')
        size = _common_size(flat)
        count = size or map_parts.count_of(flat[0])
        readers = [map_parts.reader_of(item, count) for item in flat]
        first = convert.constant(0)
        results = map_parts.results_of(flat, None if signature is None else nest.flatten(signature), infer_shape)

        def turn(index: Any, arrays: Any) -> tuple[Any, Any]:
            given = fn(nest.pack_sequence_as(elems, [read(index) for read in readers]))
            nest.assert_same_structure(form, given)
            return index + 1, [result.written(row, index, value)
                               for result, row, value in zip(results, arrays, nest.flatten(given))]

        _, arrays = flow_ops.while_loop(
            lambda index, _: index < count, turn, (first, [result.arrays(count) for result in results]),
            parallel_iterations=parallel_iterations or 10, back_prop=back_prop, swap_memory=swap_memory,
            maximum_iterations=count)
        return nest.pack_sequence_as(form, [result.stacked(row, size) for result, row in zip(results, arrays)])


def vectorized_map(fn: Any, elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """Returns what |fn| gives for each element, joined."""
    flat = [convert.convert_to_tensor(e) for e in nest.flatten(elems)]
    first = fn(nest.pack_sequence_as(elems, [t[0] for t in flat]))
    kinds = nest.map_structure(lambda r: convert.convert_to_tensor(r).dtype, first)
    return map_fn(fn, elems, fn_output_signature=kinds)


# ---- Folds ----


def _fold(fn: Any, elems: Any, initializer: Any, parallel_iterations: int, back_prop: bool, swap_memory: bool,
          name: str | None, is_reversed: bool) -> Any:
    with scopes.name_scope(name, 'foldr' if is_reversed else 'foldl', [elems]):
        flat = [convert.convert_to_tensor(elem, name='elem') for elem in nest.flatten(elems)]
        count = flat[0].shape.as_list()[0] if flat[0].shape.rank else None
        count = count or array_ops.shape(flat[0])[0]
        sources = [TensorArray(t.dtype, count, dynamic_size=False, infer_shape=True).unstack(t) for t in flat]

        def element(index: Any) -> Any:
            return nest.pack_sequence_as(elems, [source.read(index) for source in sources])

        if is_reversed:
            index = count - 1 if initializer is None else count
            state = element(index) if initializer is None else initializer
        else:
            state = element(0) if initializer is None else initializer
            index = convert.constant(1 if initializer is None else 0)

        def turn(index: Any, state: Any) -> list[Any]:
            if not is_reversed:
                return [index + 1, fn(state, element(index))]
            index -= 1
            return [index, fn(state, element(index))]

        goes_on = (lambda index, _: index > 0) if is_reversed else (lambda index, _: index < count)
        _, result = flow_ops.while_loop(
            goes_on, turn, [index, state], parallel_iterations=parallel_iterations, back_prop=back_prop,
            swap_memory=swap_memory, maximum_iterations=count)
        return result


def foldl(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
          swap_memory: bool = False, name: str | None = None) -> Any:
    """Calls |fn| with what it gave last and the next element, from the first on; returns the last result."""
    return _fold(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name, False)


def foldr(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
          swap_memory: bool = False, name: str | None = None) -> Any:
    """Calls |fn| with what it gave last and the next element, from the last on; returns the last result."""
    return _fold(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name, True)


# ---- Scans ----


def _scan_start(elems: Any, initializer: Any, sources: list[Any], first: Any) -> tuple[Any, list[Any]]:
    """Returns the form of what is handed on, and what a scan begins with."""
    if initializer is None:
        return elems, [source.read(first) for source in sources]
    return initializer, [convert.convert_to_tensor(item) for item in nest.flatten(initializer)]


def scan(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
         swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False, name: str | None = None) -> Any:
    """Calls |fn| with what it gave last and the next element; returns all results, joined."""
    flat = nest.flatten(elems)
    with scopes.name_scope(name, 'scan', flat):
        flat = [convert.convert_to_tensor(elem, name='elem') for elem in flat]
        size = flat[0].shape.as_list()[0] if flat[0].shape.rank else None
        count = array_ops.shape(flat[0])[0] if size is None else size
        sources = [TensorArray(t.dtype, count, dynamic_size=False, element_shape=t.shape[1:], infer_shape=True)
                   for t in flat]
        sources = [source.unstack(t) for source, t in zip(sources, flat)]
        first = count - 1 if reverse else 0
        form, state = _scan_start(elems, initializer, sources, first)
        results = [TensorArray(t.dtype, count, dynamic_size=False, infer_shape=infer_shape,
                               element_shape=t.shape if infer_shape else None) for t in state]
        if initializer is None:
            results = [array.write(first, value) for array, value in zip(results, state)]
        used = 1 if initializer is None else 0

        def turn(index: Any, state: Any, arrays: Any) -> tuple[Any, Any, Any]:
            element = nest.pack_sequence_as(elems, [source.read(index) for source in sources])
            given = fn(nest.pack_sequence_as(form, state), element)
            nest.assert_same_structure(form, given)
            given = nest.flatten(given)
            arrays = [array.write(index, value) for array, value in zip(arrays, given)]
            return index - 1 if reverse else index + 1, given, arrays

        goes_on = (lambda index, *_: index >= 0) if reverse else (lambda index, *_: index < count)
        _, _, arrays = flow_ops.while_loop(
            goes_on, turn, (count - 1 - used if reverse else used, state, results),
            parallel_iterations=parallel_iterations, back_prop=back_prop, swap_memory=swap_memory,
            maximum_iterations=count)
        return nest.pack_sequence_as(form, _stacked(arrays, _common_size(flat)))

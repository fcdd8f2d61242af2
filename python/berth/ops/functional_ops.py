"""functional_ops - Functions over the slices of tensors: map_fn, foldl, scan; switch_case.

Where ops run at once the loops are Python's; `functional_graph` has those of graphs.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from berth.framework import convert, nest, scopes
from berth.framework.node import Tensor
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, flow_ops, functional_graph, map_parts, math_ops
from berth.ops.tensor_array_ops import TensorArray


# ---- Maps ----


def map_fn(fn: Any, elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: bool = True,
           swap_memory: bool = False, infer_shape: bool = True, name: Optional[str] = None,
           fn_output_signature: Any = None) -> Any:
    """Calls |fn| with each slice of |elems| and stacks what it gives."""
    signature = dtype if fn_output_signature is None else fn_output_signature
    if not callable(fn):
        raise TypeError(f'The provided function {fn.__name__} is not callable.fn must be callable.')
    if not scopes.executing_eagerly():
        return functional_graph.map_fn(fn, elems, dtype, parallel_iterations, back_prop, swap_memory, infer_shape, name,
                                       fn_output_signature)
    flat = nest.flatten(elems)
    if not flat:
        raise ValueError('elems must be a Tensor or (possibly nested) sequence of Tensors. '
                         f'Got {elems}, which does not contain any Tensors.')
    values = [map_parts.elements_of(item, 'elem') for item in flat]
    if values[0].shape.rank == 0:
        raise ValueError('Elements in elems must be 1+ dimensional Tensors, not scalars')
    count = _count(values)
    readers = [map_parts.reader_of(value, count) for value in values]
    results = map_parts.results_of(values, None if signature is None else nest.flatten(signature), infer_shape)
    arrays = [result.arrays(count) for result in results]
    form = elems if signature is None else signature
    for place in range(count):
        given = fn(nest.pack_sequence_as(elems, [read(place) for read in readers]))
        nest.assert_same_structure(form, given)
        arrays = [result.written(row, place, value)
                  for result, row, value in zip(results, arrays, nest.flatten(given))]
    return nest.pack_sequence_as(form, [result.stacked(row, count) for result, row in zip(results, arrays)])


def vectorized_map(fn: Any, elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """Calls |fn| with each slice of |elems| and stacks what it gives."""
    if not scopes.executing_eagerly():
        return functional_graph.vectorized_map(fn, elems, fallback_to_while_loop, warn)
    tensors = [convert.convert_to_tensor(item) for item in nest.flatten(elems)]
    count = max(t.shape.as_list()[0] if t.shape.rank else 1 for t in tensors)
    given = [fn(nest.pack_sequence_as(elems, [t[place if t.shape.as_list()[0] > 1 else 0] for t in tensors]))
             for place in range(count)]
    if not given:
        raise NotImplementedError('tf.vectorized_map: Berth calls the function for every slice, and there is none.')
    rows = zip(*[nest.flatten(one) for one in given])
    return nest.pack_sequence_as(given[0], [array_ops.stack(list(row)) for row in rows])


def _count(tensors: list[Any]) -> int:
    """Returns how many slices there are; ValueError when tensors differ in it."""
    first = TensorShape(tensors[0].shape.as_list()[:1])
    for tensor in tensors[1:]:
        size, other = first.as_list()[0], tensor.shape.as_list()[0]
        if size != other:
            raise ValueError(f'Dimensions {size} and {other} are not compatible')
    return first.as_list()[0]


# ---- Folds ----


def _folded(label: str, args: tuple[Any, ...], is_reversed: bool) -> Any:
    fn, elems, initializer = args[:3]
    if not callable(fn):
        raise TypeError(f'{fn.__name__} is not callable. Please provide a callable function.')
    if not scopes.executing_eagerly():
        return getattr(functional_graph, label)(*args)
    tensors = [convert.convert_to_tensor(item, name='elem') for item in nest.flatten(elems)]
    count = tensors[0].shape.as_list()[0]
    places = list(range(count - 1, -1, -1) if is_reversed else range(count))
    rows = [TensorArray(t.dtype, count).unstack(t) for t in tensors]
    if initializer is None:
        first = places.pop(0) if places else (-1 if is_reversed else 0)
        result = nest.pack_sequence_as(elems, [row.read(first) for row in rows])
    else:
        result = initializer
    for place in places:
        result = fn(result, nest.pack_sequence_as(elems, [t[place] for t in tensors]))
    return nest.map_structure(convert.convert_to_tensor, result)


def foldl(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
          swap_memory: bool = False, name: Optional[str] = None) -> Any:
    """Calls |fn| with what it gave before and each slice, from the first to the last."""
    return _folded('foldl', (fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name), False)


def foldr(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
          swap_memory: bool = False, name: Optional[str] = None) -> Any:
    """Calls |fn| with what it gave before and each slice, from the last to the first."""
    return _folded('foldr', (fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name), True)


def scan(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
         swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False,
         name: Optional[str] = None) -> Any:
    """Calls |fn| with what it gave before and each slice; stacks all that it gave."""
    if not callable(fn):
        raise TypeError(f'{fn.__name__} is not callable. Please provide a callable function.')
    if not scopes.executing_eagerly():
        return functional_graph.scan(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, infer_shape,
                                     reverse, name)
    tensors = [convert.convert_to_tensor(item, name='elem') for item in nest.flatten(elems)]
    count = tensors[0].shape.as_list()[0]
    places = list(range(count - 1, -1, -1) if reverse else range(count))
    form = elems if initializer is None else initializer
    if initializer is None:
        rows = [TensorArray(t.dtype, count).unstack(t) for t in tensors]
        first = places.pop(0) if places else (-1 if reverse else 0)
        value = [row.read(first) for row in rows]
    else:
        value = [convert.convert_to_tensor(v) for v in nest.flatten(initializer)]
    results = [TensorArray(v.dtype, count, element_shape=v.shape if infer_shape else None, infer_shape=infer_shape)
               for v in value]
    if initializer is None:
        for row, item in zip(results, value):
            row.write(first, item)
    for place in places:
        given = fn(nest.pack_sequence_as(form, value), nest.pack_sequence_as(elems, [t[place] for t in tensors]))
        nest.assert_same_structure(form, given)
        value = nest.flatten(given)
        for row, item in zip(results, value):
            row.write(place, item)
    return nest.pack_sequence_as(form, [row.stack() for row in results])


# ---- Cases by number ----


def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: str = 'switch_case') -> Any:
    """Calls the function of a number; the last one, or |default|, for a number that has none."""
    functions = _branches(branch_index, branch_fns)
    functions += [] if default is None else [default]
    with scopes.name_scope(name, 'case', [branch_index]):
        if scopes.executing_eagerly():
            index = int(branch_index)
            return functions[index if 0 <= index < len(functions) else -1]()
        index = convert.convert_to_tensor(branch_index)
        last = convert.constant(len(functions) - 1, index.dtype)
        return _chosen(array_ops.where_v2(index < 0, last, index), functions, 0, len(functions))


def _chosen(index: Any, functions: list[Callable[[], Any]], first: int, end: int) -> Any:
    """Makes conds that halve the numbers from |first| to |end|; what is larger has the last function."""
    if end - first == 1:
        return functions[first]()
    middle = (first + end) // 2
    is_before = math_ops.less(index, convert.constant(middle, index.dtype))
    return flow_ops.cond(is_before, lambda: _chosen(index, functions, first, middle),
                         lambda: _chosen(index, functions, middle, end), strict=True)


def _branches(index: Any, branches: Any) -> list[Callable[[], Any]]:
    """Returns the functions in the order of their numbers."""
    if not isinstance(index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(index)}")
    if not index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {index.dtype}")
    if not branches:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if not isinstance(branches, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    pairs = list(branches.items()) if isinstance(branches, dict) else list(branches)
    if all(callable(item) for item in pairs):
        return pairs
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], int):
            raise TypeError(f'key must be a Python `int`, got {type(pair[0])}')
        if not callable(pair[1]):
            raise TypeError(f'fn for key {pair[0]} must be callable.')
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(keys))):
        raise ValueError(f'branch indices (keys) must form contiguous range of [0 to {len(keys)}) but found '
                         f'{{{",".join(map(str, keys))}}}')
    return [function for _, function in sorted(pairs, key=lambda pair: pair[0])]

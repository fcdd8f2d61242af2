"""functional_graph - map_fn, scan and folds where a graph is being built.

The first element is done before a loop does the others, so that types and shapes of results are known; results
are joined as they come. Where ops run at once `functional_ops` has them.
"""

from __future__ import annotations

from typing import Any, Callable

from berth.framework import convert, dtypes, nest, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, flow_ops


def _elements(elems: Any) -> tuple[list[Any], Any]:
    """Returns the tensors that are gone through, and how many elements they have: a number, if that is known."""
    flat = [convert.convert_to_tensor(e, name='elem') for e in nest.flatten(elems)]
    if not flat:
        raise ValueError('elems must be a Tensor or (possibly nested) sequence of Tensors. Got empty list.')
    for tensor in flat:
        if tensor.shape.rank == 0:
            raise ValueError('Elements in elems must be 1+ dimensional Tensors, not scalars')
    known = [t.shape.as_list()[0] for t in flat if t.shape.rank]
    for size in known:
        if None not in (size, known[0]) and size != known[0]:
            raise ValueError(f'Dimensions {known[0]} and {size} are not compatible')
    size = next((n for n in known if n is not None), None)
    return flat, array_ops.shape(flat[0])[0] if size is None else size


def _at(elems: Any, flat: list[Any], index: Any) -> Any:
    """Returns element |index| in the form of |elems|."""
    return nest.pack_sequence_as(elems, [tensor[index] for tensor in flat])


def _rows(value: Any) -> list[Any]:
    """Returns each tensor of a result as the first row of what is joined."""
    return [array_ops.expand_dims(convert.convert_to_tensor(v), 0) for v in nest.flatten(value)]


def _is_empty(count: Any) -> bool:
    return not convert.is_tensor(count) and count == 0


def _loop(count: Any, step: Callable[[Any, Any], tuple[Any, list[Any]]], state: Any, rows: list[Any]) -> tuple[Any, Any]:
    """Calls |step| for 1, 2, … and joins the rows it gives to |rows|; returns the last state, and all rows."""
    flat_state = nest.flatten(state)

    def body(index: Any, *values: Any) -> tuple[Any, ...]:
        before = nest.pack_sequence_as(state, list(values[:len(flat_state)])) if flat_state else state
        after, more = step(index, before)
        joined = [array_ops.concat([all_rows, row], 0) for all_rows, row in zip(values[len(flat_state):], more)]
        return (index + 1, *nest.flatten(after), *joined)

    invariants = [TensorShape([]), *(s.shape for s in flat_state),
                  *(TensorShape([None, *r.shape.as_list()[1:]]) for r in rows)]
    one = convert.constant(1)
    final = flow_ops.while_loop(lambda index, *_: index < count, body, [one, *flat_state, *rows], invariants)
    final = list(final) if isinstance(final, (list, tuple)) else [final]
    states = final[1:1 + len(flat_state)]
    return nest.pack_sequence_as(state, states) if flat_state else state, final[1 + len(flat_state):]


def _named_size(rows: list[Any], count: Any) -> list[Any]:
    if not convert.is_tensor(count):
        for row in rows:
            row.set_shape([count, *row.shape.as_list()[1:]])
    return rows


def _wanted(signature: Any) -> list[Any]:
    """Returns the types that a signature asks for."""
    return [getattr(s, 'dtype', s) for s in nest.flatten(signature)] if signature is not None else []


def _check_types(result: Any, signature: Any) -> Any:
    kinds = [dtypes.as_dtype(kind) for kind in _wanted(signature)]
    found = [convert.convert_to_tensor(r, dtype_hint=kind) for r, kind in zip(
        nest.flatten(result), kinds or [None] * len(nest.flatten(result)))]
    for tensor, kind in zip(found, kinds):
        if tensor.dtype != kind:
            from berth.framework import errors

            raise errors.InvalidArgumentError(
                None, None, f'TensorArray dtype is {kind.name} but Op is trying to write dtype {tensor.dtype.name} ')
    return nest.pack_sequence_as(result, found)


def map_fn(fn: Any, elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: bool = True,
           swap_memory: bool = False, infer_shape: bool = True, name: str | None = None,
           fn_output_signature: Any = None) -> Any:
    """Returns what |fn| gives for each element, joined."""
    if not callable(fn):
        raise TypeError(f'The provided function {fn} is not callable.fn must be callable.')
    signature = dtype if fn_output_signature is None else fn_output_signature
    with scopes.name_scope(name, 'map', nest.flatten(elems)):
        flat, count = _elements(elems)
        if signature is None:
            signature = nest.pack_sequence_as(elems, [t.dtype for t in flat])
        if scopes.executing_eagerly():
            return _mapped_now(fn, elems, flat, signature)
        if _is_empty(count):
            raise NotImplementedError('tf.map_fn: Berth needs at least one element in a graph.')
        first = _check_types(fn(_at(elems, flat, 0)), signature)

        def step(index: Any, state: Any) -> tuple[Any, list[Any]]:
            return state, _rows(_check_types(fn(_at(elems, flat, index)), signature))

        rows = _loop(count, step, (), _rows(first))[1]
        return nest.pack_sequence_as(first, _named_size(rows, count))


def _mapped_now(fn: Any, elems: Any, flat: list[Any], signature: Any) -> Any:
    size = int(array_ops.shape(flat[0])[0])
    results = [_check_types(fn(_at(elems, flat, i)), signature) for i in range(size)]
    if not results:
        return nest.map_structure(lambda kind: array_ops.zeros([0], getattr(kind, 'dtype', kind)), signature)
    return nest.map_structure(lambda *rows: array_ops.stack(list(rows)), *results)


def vectorized_map(fn: Any, elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """Returns what |fn| gives for each element, joined."""
    flat = [convert.convert_to_tensor(e) for e in nest.flatten(elems)]
    if not scopes.executing_eagerly():
        first = fn(nest.pack_sequence_as(elems, [t[0] for t in flat]))
        kinds = nest.map_structure(lambda r: convert.convert_to_tensor(r).dtype, first)
        return map_fn(fn, elems, fn_output_signature=kinds)
    results = [fn(nest.pack_sequence_as(elems, [t[i] for t in flat])) for i in range(int(array_ops.shape(flat[0])[0]))]
    return nest.map_structure(lambda *rows: array_ops.stack(list(rows)), *results)


def _order(count: Any, index: Any, is_reversed: bool) -> Any:
    return count - 1 - index if is_reversed else index


def _start(elems: Any, flat: list[Any], initializer: Any, count: Any, is_reversed: bool) -> tuple[Any, int]:
    """Returns the first state, and how many elements it has used."""
    if initializer is not None:
        return nest.map_structure(convert.convert_to_tensor, initializer), 0
    return _at(elems, flat, _order(count, 0, is_reversed)), 1


def _fold(fn: Any, elems: Any, initializer: Any, name: Any, is_reversed: bool) -> Any:
    if not callable(fn):
        raise TypeError(f'{fn.__name__ if hasattr(fn, "__name__") else fn} is not callable. Please provide a '
                        'callable function.')
    with scopes.name_scope(name, 'foldr' if is_reversed else 'foldl', nest.flatten(elems)):
        flat, count = _elements(elems)
        state, used = _start(elems, flat, initializer, count, is_reversed)
        if scopes.executing_eagerly():
            for i in range(used, int(count)):
                state = fn(state, _at(elems, flat, _order(int(count), i, is_reversed)))
            return state
        flat_state = nest.flatten(state)

        def body(index: Any, *values: Any) -> tuple[Any, ...]:
            before = nest.pack_sequence_as(state, list(values))
            after = fn(before, _at(elems, flat, _order(count, index, is_reversed)))
            return (index + 1, *nest.flatten(after))

        final = flow_ops.while_loop(lambda index, *_: index < count, body, [convert.constant(used), *flat_state])
        return nest.pack_sequence_as(state, list(final[1:]))


def foldl(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
          swap_memory: bool = False, name: str | None = None) -> Any:
    """Calls |fn| with what it gave last and the next element, from the first on; returns the last result."""
    return _fold(fn, elems, initializer, name, False)


def foldr(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
          swap_memory: bool = False, name: str | None = None) -> Any:
    """Calls |fn| with what it gave last and the next element, from the last on; returns the last result."""
    return _fold(fn, elems, initializer, name, True)


def scan(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
         swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False, name: str | None = None) -> Any:
    """Calls |fn| with what it gave last and the next element; returns all results, joined."""
    if not callable(fn):
        raise TypeError(f'{fn} is not callable. Please provide a callable function.')
    with scopes.name_scope(name, 'scan', nest.flatten(elems)):
        flat, count = _elements(elems)
        state, used = _start(elems, flat, initializer, count, reverse)
        if scopes.executing_eagerly():
            return _scanned_now(fn, elems, flat, state, used, reverse)
        if not used:
            state = fn(state, _at(elems, flat, _order(count, 0, reverse)))
            state = nest.map_structure(convert.convert_to_tensor, state)

        def step(index: Any, before: Any) -> tuple[Any, list[Any]]:
            after = fn(before, _at(elems, flat, _order(count, index, reverse)))
            return after, _rows(after)

        rows = _named_size(_loop(count, step, state, _rows(state))[1], count)
        rows = [array_ops.reverse(row, [0]) for row in rows] if reverse else rows
        return nest.pack_sequence_as(state, rows)


def _scanned_now(fn: Any, elems: Any, flat: list[Any], state: Any, used: int, reverse: bool) -> Any:
    count = int(array_ops.shape(flat[0])[0])
    results = [state] if used else []
    for i in range(used, count):
        state = fn(state, _at(elems, flat, _order(count, i, reverse)))
        results.append(state)
    results = results[::-1] if reverse else results
    return nest.map_structure(lambda *rows: array_ops.stack([convert.convert_to_tensor(r) for r in rows]), *results)

"""rnn - Recurrent networks of TF1: tf.nn.dynamic_rnn and its kin.

Cells are called in a loop over the steps of time, or once for each of a list of inputs.
"""

from __future__ import annotations

from typing import Any, Callable

from berth.framework import convert, dtypes, nest, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, flow_ops, math_ops, reduce_ops
from berth.ops.tensor_array_ops import TensorArray
from berth.variables import rnn_cell
from berth.variables import scope as variable_scopes


def _transposed(tensor: Any) -> Any:
    """Returns a tensor with time and batch exchanged."""
    shape = tensor.shape
    if shape.rank is not None and shape.rank < 2:
        return tensor
    rest = math_ops.range(2, array_ops.rank(tensor))
    made = array_ops.transpose(tensor, array_ops.concat(([1, 0], rest), axis=0))
    if shape.rank is not None and not scopes.executing_eagerly():
        dims = shape.as_list()
        made.set_shape([dims[1], dims[0], *dims[2:]])
    return made


def _batch_size(tensors: Any) -> Any:
    """Returns how large batches are: a number, if that is known."""
    for tensor in tensors:
        if tensor.shape.rank is not None and tensor.shape.rank < 2:
            raise ValueError(f'Input tensor should have rank >= 2. Received input={tensor} of rank {tensor.shape.rank}')
        if tensor.shape.rank is not None and tensor.shape.as_list()[1] is not None:
            return tensor.shape.as_list()[1]
    return array_ops.shape(tensors[0])[1]


def _state_dtype(given: Any, state: Any) -> Any:
    """Returns the type of outputs: that of states."""
    if given is not None:
        return dtypes.as_dtype(given)
    kinds = {tensor.dtype for tensor in nest.flatten(state)}
    if not kinds:
        raise ValueError(f'Unable to infer dtype from argument state={state}.')
    if len(kinds) > 1:
        raise ValueError('State has tensors of different inferred dtypes. Unable to infer a single representative '
                         f'dtype. Dtypes received: {[t.dtype for t in nest.flatten(state)]}')
    return kinds.pop()


def _first_state(cell: Any, initial_state: Any, batch: Any, dtype: Any) -> Any:
    if initial_state is not None:
        return initial_state
    if not dtype:
        raise ValueError('If no initial_state is provided, argument `dtype` must be specified')
    if getattr(cell, 'get_initial_state', None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch, dtype=dtype)
    return cell.zero_state(batch, dtype)


def _chosen(is_over: Any, old: Any, new: Any) -> Any:
    """Returns |old| for the rows whose sequence is over, |new| for others."""
    if isinstance(old, TensorArray) or old.shape.rank == 0:
        return new
    with scopes.colocate(new):
        made = array_ops.where(is_over, old, new)
    if not scopes.executing_eagerly():
        made.set_shape(old.shape)
    return made


def _step(time: Any, lengths: Any, zero_output: Any, state: Any, call: Callable[[], Any]) -> Any:
    """Calls the cell for one step; rows whose sequence is over give zeros and keep their state."""
    is_over = time >= lengths
    output, new = call()
    nest.assert_same_structure(zero_output, output)
    nest.assert_same_structure(state, new)
    return (nest.map_structure(lambda old, one: _chosen(is_over, old, one), zero_output, output),
            nest.map_structure(lambda old, one: _chosen(is_over, old, one), state, new))


def _checked_lengths(lengths: Any, batch: Any) -> Any:
    """Returns the lengths of sequences as numbers, one for each row."""
    lengths = math_ops.cast(lengths, dtypes.int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError('Argument sequence_length must be a vector of length batch_size. Received sequence_length='
                         f'{lengths} of shape: {lengths.shape}')
    lengths = array_ops.identity(lengths, name='sequence_length')
    if scopes.executing_eagerly():
        return lengths
    has, wanted = array_ops.shape(lengths), array_ops.stack([batch])
    check = flow_ops.Assert(reduce_ops.reduce_all(math_ops.equal(has, wanted)), [
        f'Expected shape for Tensor {lengths.name} is ', wanted, ' but saw shape: ', has])
    with scopes.control_dependencies([check]):
        return array_ops.identity(lengths, name='CheckSeqLen')


def dynamic_rnn(cell: Any, inputs: Any, sequence_length: Any = None, initial_state: Any = None, dtype: Any = None,
                parallel_iterations: Any = None, swap_memory: bool = False, time_major: bool = False,
                scope: Any = None) -> Any:
    """Calls |cell| for each step of |inputs|; returns all outputs, and the last state."""
    rnn_cell.assert_like_cell('cell', cell)
    with variable_scopes.variable_scope(scope or 'rnn'):
        flat = [convert.convert_to_tensor(item) for item in nest.flatten(inputs)]
        flat = flat if time_major else [_transposed(item) for item in flat]
        batch = _batch_size(flat)
        lengths = None if sequence_length is None else _checked_lengths(sequence_length, batch)
        state = nest.map_structure(convert.convert_to_tensor, _first_state(cell, initial_state, batch, dtype))
        outputs, last = _loop(cell, nest.pack_sequence_as(inputs, flat), state, parallel_iterations or 32, swap_memory,
                              lengths, dtype)
        return outputs if time_major else nest.map_structure(_transposed, outputs), last


def _check_inputs(flat: list[Any]) -> list[Any]:
    """Returns the shapes of inputs; ValueError unless all have the same steps and batches, and are known beyond."""
    shapes = [item.shape.with_rank_at_least(3).as_list() for item in flat]
    for item, shape in zip(flat, shapes):
        if None in shape[2:]:
            raise ValueError('Input size (depth of inputs) must be accessible via shape inference, but saw value None for '
                             f'input={item}.')
        if shape[0] != shapes[0][0]:
            raise ValueError('Time steps is not the same for all the elements in the input in a batch. Received time '
                             f'steps={shape[0]} for input={item}.')
        if shape[1] != shapes[0][1]:
            raise ValueError('Batch_size is not the same for all the elements in the input. Received batch '
                             f'size={shape[1]} for input={item}.')
    return shapes


def _loop(cell: Any, inputs: Any, state: Any, parallel_iterations: int, swap_memory: bool, lengths: Any,
          dtype: Any) -> Any:
    flat = nest.flatten(inputs)
    steps, batch = array_ops.shape(flat[0])[0], _batch_size(flat)
    shapes = _check_inputs(flat)
    known = shapes[0][:2]
    sizes, kind = nest.flatten(cell.output_size), _state_dtype(dtype, state)
    zero_output = nest.pack_sequence_as(cell.output_size, [
        array_ops.zeros(rnn_cell.shape_of(batch, size), kind) for size in sizes])
    longest = steps if lengths is None else reduce_ops.reduce_max(lengths)
    time = convert.constant(0, dtype=dtypes.int32, name='time')
    with scopes.name_scope('dynamic_rnn') as base:
        base = base or ''
    results = tuple(TensorArray(kind, steps, element_shape=rnn_cell.static_shape(known[1], size),
                                tensor_array_name=f'{base}output_{i}') for i, size in enumerate(sizes))
    sources = tuple(TensorArray(item.dtype, steps, element_shape=item.shape[1:], tensor_array_name=f'{base}input_{i}')
                    for i, item in enumerate(flat))
    sources = tuple(source.unstack(item) for source, item in zip(sources, flat))

    def turn(time: Any, arrays: Any, state: Any) -> Any:
        given = nest.pack_sequence_as(inputs, [source.read(time) for source in sources])
        output, new = cell(given, state) if lengths is None else _step(
            time, lengths, zero_output, state, lambda: cell(given, state))
        return time + 1, tuple(array.write(time, out) for array, out in zip(arrays, nest.flatten(output))), new

    bound = math_ops.minimum(steps, math_ops.maximum(1, longest))
    _, arrays, last = flow_ops.while_loop(
        lambda time, *_: time < bound, turn, (time, results, state), parallel_iterations=parallel_iterations,
        maximum_iterations=steps, swap_memory=swap_memory)
    outputs = [array.stack() for array in arrays]
    for output, size in zip(outputs, sizes):
        if not scopes.executing_eagerly():
            output.set_shape(TensorShape([known[0]]).concatenate(rnn_cell.static_shape(known[1], size)))
    return nest.pack_sequence_as(cell.output_size, outputs), last


def static_rnn(cell: Any, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None,
               scope: Any = None) -> Any:
    """Calls |cell| once for each of |inputs|; returns the outputs, and the last state."""
    rnn_cell.assert_like_cell('cell', cell)
    if not nest.is_nested(inputs):
        raise TypeError(f'Argument `inputs` must be a sequence. Received: {inputs}')
    if not inputs:
        raise ValueError('Argument `inputs` must not be empty.')
    with variable_scopes.variable_scope(scope or 'rnn'):
        first = nest.flatten(inputs)[0]
        batch = (first.shape.as_list()[0] if first.shape.rank else None) or array_ops.shape(first)[0]
        state = _first_state(cell, initial_state, batch, dtype)
        zero_output, lengths = None, None
        if sequence_length is not None:
            lengths = convert.convert_to_tensor(sequence_length, name='sequence_length')
            if lengths.shape.rank not in (None, 1):
                raise ValueError(f'Argument `sequence_length` must be a vector of length {batch}. Received '
                                 f'sequence_length={lengths}.')
            kind = _state_dtype(dtype, state)
            zero_output = nest.map_structure(lambda size: array_ops.zeros(rnn_cell.shape_of(batch, size), kind),
                                             cell.output_size)
            lengths = math_ops.cast(lengths, dtypes.int32)
        outputs = []
        for time, given in enumerate(inputs):
            if time > 0:
                variable_scopes.get_variable_scope().reuse_variables()
            before = state
            output, state = cell(given, before) if lengths is None else _step(
                time, lengths, zero_output, before, lambda given=given, before=before: cell(given, before))
            outputs.append(output)
        return outputs, state


def static_state_saving_rnn(cell: Any, inputs: Any, state_saver: Any, state_name: Any, sequence_length: Any = None,
                            scope: Any = None) -> Any:
    """Does what static_rnn does from a state that |state_saver| has by name, and saves the last one there."""
    size = cell.state_size
    if nest.is_nested(size) != nest.is_nested(state_name):
        raise ValueError('Argument `state_name` should be the same type as `cell.state_size`. Received: '
                         f'state_name={state_name!s}, cell.state_size={size!s}.')
    names, sizes = nest.flatten(state_name), nest.flatten(size)
    if len(names) != len(sizes):
        raise ValueError('Number of elements in argument `state_name` and `cell.state_size` are mismatched. Received '
                         f'state_name={state_name} with {len(names)} elements and cell.state_size={size} with '
                         f'{len(sizes)} elements.')
    first = nest.pack_sequence_as(size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, first, sequence_length=sequence_length, scope=scope)
    saves = [state_saver.save_state(name, part) for name, part in zip(names, nest.flatten(state))]
    with scopes.control_dependencies(saves):
        outputs[-1], state = (nest.map_structure(array_ops.identity, value) for value in (outputs[-1], state))
    return outputs, state


def raw_rnn(cell: Any, loop_fn: Any, parallel_iterations: Any = None, swap_memory: bool = False,
            scope: Any = None) -> Any:
    """Calls |cell| while |loop_fn| says so, which makes inputs of outputs."""
    rnn_cell.assert_like_cell('cell', cell)
    if not callable(loop_fn):
        raise TypeError(f'Argument `loop_fn` must be a callable. Received: {loop_fn}.')
    with variable_scopes.variable_scope(scope or 'rnn'):
        time = convert.constant(0, dtype=dtypes.int32)
        finished, first, state, emits, given_loop_state = loop_fn(time, None, None, None)
        loop_state = convert.constant(0, dtype=dtypes.int32) if given_loop_state is None else given_loop_state
        nest.assert_same_structure(state, cell.state_size)
        state = nest.map_structure(convert.convert_to_tensor, state)
        zeros, arrays = _emitted(cell, nest.flatten(first)[0], emits, nest.flatten(state)[0].dtype)

        def turn(time: Any, finished: Any, given: Any, arrays: Any, state: Any, loop_state: Any) -> Any:
            output, cell_state = cell(given, state)
            nest.assert_same_structure(state, cell_state)
            over, following, new, emit, next_loop_state = loop_fn(time + 1, output, cell_state, loop_state)
            nest.assert_same_structure(state, new)
            nest.assert_same_structure(given, following)
            emit = nest.map_structure(lambda old, one: _chosen(finished, old, one), zeros, emit)
            new = nest.map_structure(lambda old, one: _chosen(finished, old, one), state, new)
            arrays = nest.map_structure(lambda array, one: array.write(time, one), arrays, emit)
            return (time + 1, math_ops.logical_or(finished, over), following, arrays, new,
                    loop_state if next_loop_state is None else next_loop_state)

        final = flow_ops.while_loop(
            lambda time, finished, *_: math_ops.logical_not(reduce_ops.reduce_all(finished)), turn,
            [time, finished, first, arrays, state, loop_state], parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory)
        return final[3], final[4], None if given_loop_state is None else final[5]


def _emitted(cell: Any, first: Any, emits: Any, kind: Any) -> tuple[Any, Any]:
    """Returns zeros like what raw_rnn gives in a step, and arrays for all of it."""
    known = first.shape.as_list()[0]
    batch = array_ops.shape(first)[0] if known is None else known
    form = cell.output_size if emits is None else emits
    kinds = [(size, kind) for size in nest.flatten(form)] if emits is None else [
        (emit.shape, emit.dtype) for emit in nest.flatten(emits)]
    arrays = [TensorArray(dtype, 0, dynamic_size=True, element_shape=rnn_cell.static_shape(known, size),
                          name=f'rnn_output_{i}') for i, (size, dtype) in enumerate(kinds)]
    zeros = [array_ops.zeros(rnn_cell.shape_of(batch, size), dtype) for size, dtype in kinds]
    return nest.pack_sequence_as(form, zeros), nest.pack_sequence_as(form, arrays)


def _reversed(tensor: Any, lengths: Any, seq_axis: int, batch_axis: int) -> Any:
    if lengths is None:
        return array_ops.reverse(tensor, axis=[seq_axis])
    return array_ops.reverse_sequence(tensor, seq_lengths=lengths, seq_axis=seq_axis, batch_axis=batch_axis)


def bidirectional_dynamic_rnn(cell_fw: Any, cell_bw: Any, inputs: Any, sequence_length: Any = None,
                              initial_state_fw: Any = None, initial_state_bw: Any = None, dtype: Any = None,
                              parallel_iterations: Any = None, swap_memory: bool = False, time_major: bool = False,
                              scope: Any = None) -> Any:
    """Calls one cell forwards and another one backwards; returns pairs of outputs and of states."""
    rnn_cell.assert_like_cell('cell_fw', cell_fw)
    rnn_cell.assert_like_cell('cell_bw', cell_bw)
    axes = (0, 1) if time_major else (1, 0)
    with variable_scopes.variable_scope(scope or 'bidirectional_rnn'):
        with variable_scopes.variable_scope('fw') as there:
            outputs, state = dynamic_rnn(cell_fw, inputs, sequence_length, initial_state_fw, dtype, parallel_iterations,
                                         swap_memory, time_major, there)
        with variable_scopes.variable_scope('bw') as back:
            turned = nest.map_structure(lambda t: _reversed(t, sequence_length, *axes), inputs)
            backwards, back_state = dynamic_rnn(cell_bw, turned, sequence_length, initial_state_bw, dtype,
                                                parallel_iterations, swap_memory, time_major, back)
        backwards = nest.map_structure(lambda t: _reversed(t, sequence_length, *axes), backwards)
    return (outputs, backwards), (state, back_state)


def static_bidirectional_rnn(cell_fw: Any, cell_bw: Any, inputs: Any, initial_state_fw: Any = None,
                             initial_state_bw: Any = None, dtype: Any = None, sequence_length: Any = None,
                             scope: Any = None) -> Any:
    """Calls one cell forwards and another one backwards; returns joined outputs, and both states."""
    if not nest.is_nested(inputs):
        raise TypeError(f'Argument `inputs` must be a sequence. Received: {inputs}')
    if not inputs:
        raise ValueError('Argument `inputs` must not be empty.')
    with variable_scopes.variable_scope(scope or 'bidirectional_rnn'):
        with variable_scopes.variable_scope('fw') as there:
            outputs, state = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, there)
        with variable_scopes.variable_scope('bw') as back:
            backwards, back_state = static_rnn(cell_bw, _turned(inputs, sequence_length), initial_state_bw, dtype,
                                               sequence_length, back)
    backwards = _turned(backwards, sequence_length)
    joined = [nest.map_structure(lambda one, other: array_ops.concat([one, other], 1), *pair)
              for pair in zip(outputs, backwards)]
    return joined, state, back_state


def _turned(inputs: Any, lengths: Any) -> list[Any]:
    """Returns a list of inputs from the last to the first, each row within its length."""
    if lengths is None:
        return list(reversed(inputs))
    flat = [nest.flatten(given) for given in inputs]
    columns = [array_ops.unstack(_reversed(array_ops.stack(list(column)), lengths, 0, 1), len(inputs))
               for column in zip(*flat)]
    return [nest.pack_sequence_as(inputs[0], list(row)) for row in zip(*columns)]

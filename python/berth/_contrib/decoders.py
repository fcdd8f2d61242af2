"""decoders.py - tf.contrib.seq2seq: a loop that decodes, and the decoder that calls a cell."""

from __future__ import annotations

import collections
from typing import Any

from berth._contrib import helpers
from berth._layers.base import Layer
from berth.framework import convert, dtypes, nest, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, flow_ops, math_ops, reduce_ops
from berth.ops.tensor_array_ops import TensorArray
from berth.variables import rnn_cell
from berth.variables import scope as variable_scope


class Decoder:
    """What makes one step of a sequence after the other."""

    tracks_own_finished = False  # True: a sequence that is over may go on, as another one.

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """How large outputs are."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """Of what types outputs are."""
        raise NotImplementedError

    def initialize(self, name: str | None = None) -> Any:
        """Returns which sequences are over, the first inputs and the first state."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns outputs, the next state, the next inputs, and which sequences are over."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Returns what outputs and state become in the end."""
        raise NotImplementedError


class BasicDecoderOutput(collections.namedtuple('BasicDecoderOutput', ('rnn_output', 'sample_id'))):
    """What a step gives, and the numbers that were made of it."""

    __slots__ = ()


def check_layer(name: str, layer: Any) -> None:
    """Raises TypeError for what is neither nothing nor a layer."""
    if layer is not None and not isinstance(layer, Layer) and not hasattr(layer, 'compute_output_shape'):
        raise TypeError(f'{name} must be a Layer, received: {type(layer)}')


def sizes_behind(cell: Any, layer: Any) -> Any:
    """Returns how large outputs of a cell are once a layer, if there is one, has seen them."""
    if layer is None:
        return cell.output_size
    return nest.map_structure(
        lambda size: layer.compute_output_shape(TensorShape([None]).concatenate(
            rnn_cell.static_shape(None, size)[1:]))[1:], cell.output_size)


class BasicDecoder(Decoder):
    """Calls a cell on what a helper gives."""

    def __init__(self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None) -> None:
        rnn_cell.assert_like_cell('cell', cell)
        if not isinstance(helper, helpers.Helper):
            raise TypeError(f'helper must be a Helper, received: {type(helper)}')
        check_layer('output_layer', output_layer)
        self._cell, self._helper, self._initial_state, self._output_layer = cell, helper, initial_state, output_layer

    batch_size = property(lambda self: self._helper.batch_size)

    @property
    def output_size(self) -> Any:
        """How large outputs are."""
        return BasicDecoderOutput(sizes_behind(self._cell, self._output_layer), self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> Any:
        """Of what types outputs are: that of the state, and that of the helper."""
        kind = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(nest.map_structure(lambda _: kind, self.output_size.rnn_output),
                                  self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> Any:
        """Asks the helper."""
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Calls the cell, the layer behind it, and the helper."""
        with scopes.name_scope(name, 'BasicDecoderStep', [time, *nest.flatten(inputs)]):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, inputs, state = self._helper.next_inputs(time=time, outputs=outputs, state=state, sample_ids=ids)
        return BasicDecoderOutput(outputs, ids), state, inputs, finished


# ---- The loop ----


def _zeros(batch: Any, size: Any, dtype: Any) -> Any:
    made = array_ops.zeros(rnn_cell.shape_of(batch, size), dtype)
    return helpers.with_shape(made, rnn_cell.static_shape(_known(batch), size))


def _known(batch: Any) -> Any:
    """Returns the size of a batch as a number; None where only a run knows it."""
    found = convert.constant_value(batch) if convert.is_tensor(batch) else batch
    return None if found is None else int(found)


def _kept(is_over: Any, old: Any, new: Any) -> Any:
    """Returns |old| in the rows that are over; arrays and single numbers are |new|."""
    if isinstance(old, TensorArray) or old.shape.rank == 0:
        return new
    return array_ops.where(is_over, old, helpers.with_shape(new, old.shape))


def _most(maximum_iterations: Any) -> Any:
    most = convert.convert_to_tensor(maximum_iterations, dtype=dtypes.int32, name='maximum_iterations')
    if most.shape.rank != 0:
        raise ValueError('maximum_iterations must be a scalar')
    return most


def dynamic_decode(decoder: Any, output_time_major: bool = False, impute_finished: bool = False,
                   maximum_iterations: Any = None, parallel_iterations: int = 32, swap_memory: bool = False,
                   scope: Any = None, **kwargs: Any) -> tuple[Any, Any, Any]:
    """Makes steps until all sequences are over; returns outputs, the last state, and how long sequences are."""
    if not isinstance(decoder, Decoder):
        raise TypeError(f'Expected decoder to be type Decoder, but saw: {type(decoder)}')
    with variable_scope.variable_scope(scope, 'decoder'):
        most = None if maximum_iterations is None else _most(maximum_iterations)
        finished, inputs, state = decoder.initialize(**kwargs)
        state = nest.map_structure(lambda t: t if isinstance(t, TensorArray) else convert.convert_to_tensor(t), state)
        zeros = nest.map_structure(lambda size, kind: _zeros(decoder.batch_size, size, kind), decoder.output_size,
                                   decoder.output_dtype)
        if most is not None:
            finished = math_ops.logical_or(finished, 0 >= most)
        arrays = nest.map_structure(lambda size, kind: TensorArray(
            kind, 0, dynamic_size=True, element_shape=rnn_cell.static_shape(_known(decoder.batch_size), size)),
            decoder.output_size, decoder.output_dtype)

        def turn(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Any:
            outputs, new, following, over = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                over = math_ops.logical_or(over, finished)
            lengths = array_ops.where(finished, lengths, array_ops.fill(array_ops.shape(lengths), time + 1))
            for known, made in ((state, new), (arrays, outputs), (inputs, following)):
                nest.assert_same_structure(known, made)
            if impute_finished:
                outputs = nest.map_structure(lambda zero, one: array_ops.where(finished, zero, one), zeros, outputs)
                new = nest.map_structure(lambda old, one: _kept(finished, old, one), state, new)
            arrays = nest.map_structure(lambda array, one: array.write(time, one), arrays, outputs)
            return time + 1, arrays, new, following, over, lengths

        _, arrays, state, _, _, lengths = flow_ops.while_loop(
            lambda time, arrays, state, inputs, finished, lengths: math_ops.logical_not(
                reduce_ops.reduce_all(finished)),
            turn, (convert.constant(0, dtype=dtypes.int32), arrays, state, inputs, finished,
                   array_ops.zeros_like(finished, dtype=dtypes.int32)),
            parallel_iterations=parallel_iterations, maximum_iterations=most, swap_memory=swap_memory)
        return _ended(decoder, nest.map_structure(lambda array: array.stack(), arrays), state, lengths,
                      output_time_major)


def _ended(decoder: Any, outputs: Any, state: Any, lengths: Any, is_time_major: bool) -> tuple[Any, Any, Any]:
    """Returns what the decoder makes of all steps, the batch first unless time is to be."""
    try:
        outputs, state = decoder.finalize(outputs, state, lengths)
    except NotImplementedError:
        pass
    return outputs if is_time_major else nest.map_structure(helpers.time_first, outputs), state, lengths

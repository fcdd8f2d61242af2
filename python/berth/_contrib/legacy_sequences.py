"""legacy_sequences.py - tf.contrib.legacy_seq2seq: models of sequences whose steps are in lists."""

from __future__ import annotations

import copy
from typing import Any, Callable

from berth._contrib.rnn_wrappers import EmbeddingWrapper, Memory, OutputProjectionWrapper, linear
from berth._contrib.sequences import legacy_sequence_loss, rnn_decoder, sequence_loss_by_example
from berth.framework import convert, dtypes, nest, scopes
from berth.ops import array_ops, embedding_ops, flow_ops, math_ops, nn_ops
from berth.variables import rnn
from berth.variables import scope as variable_scope


def _from_outputs(embedding: Any, projection: Any, learns: bool) -> Callable[[Any, Any], Any]:
    """Returns a function from outputs to the vectors of the likeliest numbers."""
    def inputs_of(before: Any, _: Any) -> Any:
        if projection is not None:
            before = nn_ops.xw_plus_b(before, projection[0], projection[1])
        vectors = embedding_ops.embedding_lookup(embedding, math_ops.argmax(before, 1))
        return vectors if learns else array_ops.stop_gradient(vectors)

    return inputs_of


def _vectors(embedding: Any, steps: Any) -> list[Any]:
    return [embedding_ops.embedding_lookup(embedding, step) for step in steps]


# ---- A cell that reads, and one that writes ----


def basic_rnn_seq2seq(encoder_inputs: Any, decoder_inputs: Any, cell: Any, dtype: Any = dtypes.float32,
                      scope: Any = None) -> tuple[list[Any], Any]:
    """Reads with one copy of a cell and writes with another one."""
    with variable_scope.variable_scope(scope or 'basic_rnn_seq2seq'):
        _, state = rnn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(encoder_inputs: Any, decoder_inputs: Any, cell: Any, loop_function: Any = None,
                     dtype: Any = dtypes.float32, scope: Any = None) -> tuple[list[Any], Any]:
    """Reads and writes with the same cell."""
    with variable_scope.variable_scope('combined_tied_rnn_seq2seq'):
        inner = scope or 'tied_rnn_seq2seq'
        _, state = rnn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=inner)
        variable_scope.get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, inner)


def embedding_rnn_decoder(decoder_inputs: Any, initial_state: Any, cell: Any, num_symbols: int, embedding_size: int,
                          output_projection: Any = None, feed_previous: bool = False,
                          update_embedding_for_previous: bool = True, scope: Any = None) -> tuple[list[Any], Any]:
    """Writes numbers, which become vectors."""
    with variable_scope.variable_scope(scope or 'embedding_rnn_decoder') as opened:
        if output_projection is not None:
            _check_projection(output_projection, num_symbols, opened.dtype)
        embedding = variable_scope.get_variable('embedding', [num_symbols, embedding_size])
        loop = _from_outputs(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        return rnn_decoder(_vectors(embedding, decoder_inputs), initial_state, cell, loop)


def _check_projection(projection: Any, count: int, dtype: Any) -> None:
    """Raises ValueError for a matrix and a bias that do not give |count| numbers."""
    for value, shape in zip(projection, ([None, count], [count])):
        convert.convert_to_tensor(value, dtype=dtype).shape.assert_is_compatible_with(shape)


def _fed(feed_previous: Any, decode: Callable[[bool], tuple[list[Any], Any]]) -> tuple[list[Any], Any]:
    """Returns what |decode| makes, with outputs fed if that is so; a tensor says it for each run."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous)
    form: list[Any] = []

    def branch(feeds: bool) -> Any:
        with variable_scope.variable_scope(variable_scope.get_variable_scope(), reuse=None if feeds else True):
            outputs, state = decode(feeds)
        form[:] = [len(outputs), state]
        return outputs + nest.flatten(state)

    made = list(flow_ops.cond(feed_previous, lambda: branch(True), lambda: branch(False)))
    count, state = form
    return made[:count], nest.pack_sequence_as(state, made[count:]) if nest.is_nested(state) else made[count]


def _read(cell: Any, steps: Any, classes: int, size: int, dtype: Any) -> tuple[list[Any], Any]:
    """Reads numbers with a copy of a cell."""
    return rnn.static_rnn(EmbeddingWrapper(copy.deepcopy(cell), classes, size), steps, dtype=dtype)


def _settled(opened: Any, dtype: Any) -> Any:
    """Returns the type of variables: that of the scope, which |dtype| sets."""
    if dtype is not None:
        opened.set_dtype(dtype)
    return opened.dtype if dtype is None else dtype


def embedding_rnn_seq2seq(encoder_inputs: Any, decoder_inputs: Any, cell: Any, num_encoder_symbols: int,
                          num_decoder_symbols: int, embedding_size: int, output_projection: Any = None,
                          feed_previous: Any = False, dtype: Any = None, scope: Any = None) -> tuple[list[Any], Any]:
    """Reads numbers and writes others."""
    with variable_scope.variable_scope(scope or 'embedding_rnn_seq2seq') as opened:
        _, state = _read(cell, encoder_inputs, num_encoder_symbols, embedding_size, _settled(opened, dtype))
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
        return _fed(feed_previous, lambda feeds: embedding_rnn_decoder(
            decoder_inputs, state, cell, num_decoder_symbols, embedding_size, output_projection, feeds,
            isinstance(feed_previous, bool)))


def embedding_tied_rnn_seq2seq(encoder_inputs: Any, decoder_inputs: Any, cell: Any, num_symbols: int,
                               embedding_size: int, num_decoder_symbols: Any = None, output_projection: Any = None,
                               feed_previous: Any = False, dtype: Any = None,
                               scope: Any = None) -> tuple[list[Any], Any]:
    """Reads and writes numbers of one table with the same cell."""
    with variable_scope.variable_scope(scope or 'embedding_tied_rnn_seq2seq', dtype=dtype) as opened:
        kind = opened.dtype if dtype is None else dtype
        if output_projection is not None:
            _check_projection(output_projection, num_symbols, kind)
        embedding = variable_scope.get_variable('embedding', [num_symbols, embedding_size], dtype=kind)
        given = [_vectors(embedding, steps) for steps in (encoder_inputs, decoder_inputs)]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols or num_symbols)
        learns = isinstance(feed_previous, bool)
        return _fed(feed_previous, lambda feeds: tied_rnn_seq2seq(
            *given, cell, _from_outputs(embedding, output_projection, learns) if feeds else None, kind))


def one2many_rnn_seq2seq(encoder_inputs: Any, decoder_inputs_dict: Any, enc_cell: Any, dec_cells_dict: Any,
                         num_encoder_symbols: int, num_decoder_symbols_dict: Any, embedding_size: int,
                         feed_previous: Any = False, dtype: Any = None, scope: Any = None) -> tuple[Any, Any]:
    """Reads numbers once, and writes several sequences, each with a name."""
    outputs, states = {}, {}
    with variable_scope.variable_scope(scope or 'one2many_rnn_seq2seq') as opened:
        _, state = rnn.static_rnn(EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size), encoder_inputs,
                                  dtype=_settled(opened, dtype))
        for name, steps in decoder_inputs_dict.items():
            count = num_decoder_symbols_dict[name]
            with variable_scope.variable_scope(f'one2many_decoder_{name}'):
                cell = OutputProjectionWrapper(dec_cells_dict[name], count)
                outputs[name], states[name] = _fed(feed_previous, lambda feeds, steps=steps, cell=cell, count=count:
                                                   embedding_rnn_decoder(steps, state, cell, count, embedding_size,
                                                                         None, feeds))
    return outputs, states


# ---- One that looks back ----


def attention_decoder(decoder_inputs: Any, initial_state: Any, attention_states: Any, cell: Any,
                      output_size: Any = None, num_heads: int = 1, loop_function: Any = None, dtype: Any = None,
                      scope: Any = None, initial_state_attention: bool = False) -> tuple[list[Any], Any]:
    """Runs a cell over a list of steps, each of which looks at vectors with its state."""
    if not decoder_inputs:
        raise ValueError('Must provide at least 1 input to attention decoder.')
    if num_heads < 1:
        raise ValueError('With less than 1 heads, use a non-attention decoder.')
    size = attention_states.shape.as_list()[2]
    if size is None:
        raise ValueError(f'Shape[2] of attention_states must be known: {attention_states.shape}')
    with variable_scope.variable_scope(scope or 'attention_decoder', dtype=dtype) as opened:
        memories = [Memory(attention_states, size, size, f'AttnW_{head}', f'AttnV_{head}') for head in range(num_heads)]
        batch = array_ops.shape(decoder_inputs[0])[0]
        nothing = array_ops.zeros(array_ops.stack([batch, size]), opened.dtype)
        if not scopes.executing_eagerly():
            nothing.set_shape([None, size])
        state, outputs, before = initial_state, [], None
        seen = _looks(memories, state) if initial_state_attention else [nothing] * num_heads
        for i, given in enumerate(decoder_inputs):
            if i > 0:
                variable_scope.get_variable_scope().reuse_variables()
            if loop_function is not None and before is not None:
                with variable_scope.variable_scope('loop_function', reuse=True):
                    given = loop_function(before, i)
            output, state = cell(linear([given, *seen], _width(given)), state)
            with variable_scope.variable_scope(variable_scope.get_variable_scope(),
                                               reuse=True if i == 0 and initial_state_attention else None):
                seen = _looks(memories, state)
            with variable_scope.variable_scope('AttnOutputProjection'):
                output = linear([output, *seen], output_size or cell.output_size)
            before = output if loop_function is not None else None
            outputs.append(output)
    return outputs, state


def _width(given: Any) -> int:
    found = given.shape.with_rank(2).as_list()[1]
    if found is None:
        raise ValueError(f'Could not infer input size from input: {given.name}')
    return int(found)


def _looks(memories: list[Memory], state: Any) -> list[Any]:
    """Returns what a state sees in each memory."""
    parts, seen = nest.flatten(state), []
    query = parts[0] if len(parts) == 1 else array_ops.concat(parts, 1)
    for head, memory in enumerate(memories):
        with variable_scope.variable_scope(f'Attention_{head}'):
            seen.append(memory.look(query))
    return seen


def embedding_attention_decoder(decoder_inputs: Any, initial_state: Any, attention_states: Any, cell: Any,
                                num_symbols: int, embedding_size: int, num_heads: int = 1, output_size: Any = None,
                                output_projection: Any = None, feed_previous: bool = False,
                                update_embedding_for_previous: bool = True, dtype: Any = None, scope: Any = None,
                                initial_state_attention: bool = False) -> tuple[list[Any], Any]:
    """The same for numbers, which become vectors."""
    with variable_scope.variable_scope(scope or 'embedding_attention_decoder', dtype=dtype) as opened:
        if output_projection is not None:
            _check_projection(output_projection, num_symbols, opened.dtype)
        embedding = variable_scope.get_variable('embedding', [num_symbols, embedding_size])
        loop = _from_outputs(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        return attention_decoder(_vectors(embedding, decoder_inputs), initial_state, attention_states, cell,
                                 output_size or cell.output_size, num_heads, loop,
                                 initial_state_attention=initial_state_attention)


def embedding_attention_seq2seq(encoder_inputs: Any, decoder_inputs: Any, cell: Any, num_encoder_symbols: int,
                                num_decoder_symbols: int, embedding_size: int, num_heads: int = 1,
                                output_projection: Any = None, feed_previous: Any = False, dtype: Any = None,
                                scope: Any = None, initial_state_attention: bool = False) -> tuple[list[Any], Any]:
    """Reads numbers, and writes others while it looks at what it read."""
    with variable_scope.variable_scope(scope or 'embedding_attention_seq2seq', dtype=dtype) as opened:
        kind = opened.dtype if dtype is None else dtype
        read, state = _read(cell, encoder_inputs, num_encoder_symbols, embedding_size, kind)
        memory = array_ops.concat([array_ops.reshape(step, [-1, 1, cell.output_size]) for step in read], 1)
        size = None
        if output_projection is None:
            cell, size = OutputProjectionWrapper(cell, num_decoder_symbols), num_decoder_symbols
        return _fed(feed_previous, lambda feeds: embedding_attention_decoder(
            decoder_inputs, state, memory, cell, num_decoder_symbols, embedding_size, num_heads, size,
            output_projection, feeds, isinstance(feed_previous, bool),
            initial_state_attention=initial_state_attention))


# ---- Buckets ----


def model_with_buckets(encoder_inputs: Any, decoder_inputs: Any, targets: Any, weights: Any, buckets: Any,
                       seq2seq: Any, softmax_loss_function: Any = None, per_example_loss: bool = False,
                       name: str | None = None) -> tuple[list[Any], list[Any]]:
    """Returns outputs and losses of a model for each pair of lengths, with the same variables."""
    for label, given, longest in (('encoder_inputs', encoder_inputs, buckets[-1][0]),
                                  ('targets', targets, buckets[-1][1]), ('weights', weights, buckets[-1][1])):
        if len(given) < longest:
            raise ValueError(f'Length of {label} ({len(given)}) must be at least that of last bucket ({longest}).')
    loss = sequence_loss_by_example if per_example_loss else legacy_sequence_loss
    outputs, losses = [], []
    with scopes.name_scope(name, 'model_with_buckets', [*encoder_inputs, *decoder_inputs, *targets, *weights]):
        for i, (read, written) in enumerate(buckets):
            with variable_scope.variable_scope(variable_scope.get_variable_scope(), reuse=True if i else None):
                made, _ = seq2seq(encoder_inputs[:read], decoder_inputs[:written])
                outputs.append(made)
                losses.append(loss(made, targets[:written], weights[:written],
                                   softmax_loss_function=softmax_loss_function))
    return outputs, losses

"""sequences.py - Losses and decoders of sequences: tf.contrib.seq2seq, and tf.contrib.legacy_seq2seq before it."""

from __future__ import annotations

from typing import Any

from berth.framework import scopes
from berth.ops import array_ops, entropy_ops, math_ops, reduce_ops
from berth.variables import scope as variable_scope

_TINY = 1e-12  # Sums of weights may be zero.


def _entropy(targets: Any, logits: Any, function: Any) -> Any:
    """Returns the loss of each target."""
    if function is not None:
        return function(labels=targets, logits=logits)
    return entropy_ops.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)


def sequence_loss(logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True,
                  average_across_batch: bool = True, softmax_loss_function: Any = None, name: str | None = None) -> Any:
    """Returns the weighted cross entropy of sequences, each a row of |logits|, in the mean of what is asked for."""
    if logits.shape.rank != 3:
        raise ValueError('Logits must be a [batch_size x sequence_length x logits] tensor')
    if targets.shape.rank != 2:
        raise ValueError('Targets must be a [batch_size x sequence_length] tensor')
    if weights.shape.rank != 2:
        raise ValueError('Weights must be a [batch_size x sequence_length] tensor')
    with scopes.name_scope(name, 'sequence_loss', [logits, targets, weights]):
        flat = array_ops.reshape(logits, [-1, array_ops.shape(logits)[2]])
        each = _entropy(array_ops.reshape(targets, [-1]), flat, softmax_loss_function)
        each *= array_ops.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return reduce_ops.reduce_sum(each) / (reduce_ops.reduce_sum(weights) + _TINY)
        shape = array_ops.shape(logits)
        each = array_ops.reshape(each, [shape[0], shape[1]])
        for axis, is_wanted in ((1, average_across_timesteps), (0, average_across_batch)):
            if is_wanted:
                return reduce_ops.reduce_sum(each, axis=[axis]) / (reduce_ops.reduce_sum(weights, axis=axis) + _TINY)
        return each


# ---- Lists of steps ----


def sequence_loss_by_example(logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True,
                             softmax_loss_function: Any = None, name: str | None = None) -> Any:
    """Returns the weighted cross entropy of each sequence, whose steps are in lists."""
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError('Lengths of logits, weights, and targets must be the same '
                         f'{len(logits)}, {len(weights)}, {len(targets)}.')
    with scopes.name_scope(name, 'sequence_loss_by_example', [*logits, *targets, *weights]):
        steps = [_entropy(array_ops.reshape(target, [-1]), logit, softmax_loss_function) * weight
                 for logit, target, weight in zip(logits, targets, weights)]
        total = math_ops.add_n(steps)
        return total / (math_ops.add_n(weights) + _TINY) if average_across_timesteps else total


def legacy_sequence_loss(logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True,
                         average_across_batch: bool = True, softmax_loss_function: Any = None,
                         name: str | None = None) -> Any:
    """Returns the sum of these, or their mean."""
    with scopes.name_scope(name, 'sequence_loss', [*logits, *targets, *weights]):
        cost = reduce_ops.reduce_sum(sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps, softmax_loss_function))
        return cost / math_ops.cast(array_ops.shape(targets[0])[0], cost.dtype) if average_across_batch else cost


def rnn_decoder(decoder_inputs: Any, initial_state: Any, cell: Any, loop_function: Any = None,
                scope: Any = None) -> tuple[list[Any], Any]:
    """Runs a cell over a list of steps; |loop_function| makes inputs of the outputs before them."""
    with variable_scope.variable_scope(scope or 'rnn_decoder'):
        state, outputs, before = initial_state, [], None
        for i, step in enumerate(decoder_inputs):
            if loop_function is not None and before is not None:
                with variable_scope.variable_scope('loop_function', reuse=True):
                    step = loop_function(before, i)
            if i > 0:
                variable_scope.get_variable_scope().reuse_variables()
            output, state = cell(step, state)
            outputs.append(output)
            if loop_function is not None:
                before = output
    return outputs, state

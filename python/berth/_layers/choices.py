"""choices.py - Functions that layers are given, or the words for them: activations, initialisers."""

from __future__ import annotations

from typing import Any

from berth.ops import init_ops, math_ops, nn_ops

_ACTIVATIONS = {
    'relu': nn_ops.relu, 'relu6': nn_ops.relu6, 'elu': nn_ops.elu, 'selu': nn_ops.selu, 'softplus': nn_ops.softplus,
    'softsign': nn_ops.softsign, 'sigmoid': nn_ops.sigmoid, 'tanh': nn_ops.tanh, 'softmax': nn_ops.softmax,
    'exponential': math_ops.exp}
_INITIALIZERS = {
    'zeros': init_ops.zeros_initializer, 'ones': init_ops.ones_initializer,
    'glorot_uniform': init_ops.glorot_uniform_initializer, 'glorot_normal': init_ops.glorot_normal_initializer,
    'random_uniform': init_ops.random_uniform_initializer, 'random_normal': init_ops.random_normal_initializer,
    'truncated_normal': init_ops.truncated_normal_initializer}


def _chosen(what: str, table: dict[str, Any], given: Any) -> Any:
    """Returns the entry of |table| that is called |given|."""
    if given not in table:
        raise ValueError(f"Unknown {what} '{given}'. Berth knows these words: {', '.join(sorted(table))}; "
                         'anything that can be called will do, too.')
    return table[given]


def activation(given: Any) -> Any:
    """Returns the function that |given| is or means; None where nothing is to be done."""
    if not isinstance(given, str):
        return given
    return None if given == 'linear' else _chosen('activation', _ACTIVATIONS, given)


def initializer(given: Any) -> Any:
    """Returns the initialiser that |given| is or means."""
    return _chosen('initializer', _INITIALIZERS, given)() if isinstance(given, str) else given


def numbers(value: Any, count: int, name: str, may_be_zero: bool = False) -> tuple[int, ...]:
    """Returns |count| numbers: those given, or one of them as often."""
    least = 0 if may_be_zero else 1
    error = (f'The `{name}` argument must be a tuple of {count} integers. Received: {value}')
    if isinstance(value, int):
        return (value,) * count
    try:
        found = tuple(value)
    except TypeError:
        raise ValueError(error) from None
    if len(found) != count:
        raise ValueError(error)
    for one in found:
        try:
            int(one)
        except (TypeError, ValueError):
            raise ValueError(f'{error} including element {one} of type {type(one)}') from None
        if one < least:
            raise ValueError(f'{error} including {{{one}}} that does not satisfy the requirement `> 0`.')
    return tuple(int(one) for one in found)


def padding(value: Any, words: tuple[str, ...] = ('valid', 'same', 'causal')) -> Any:
    """Returns the word for how edges are filled, in small letters."""
    if isinstance(value, (list, tuple)):
        return value
    word = value.lower()
    if word not in words:
        raise ValueError('The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", only '
                         f'for `Conv1D). Received: {word}')
    return word


def data_format(value: Any) -> str:
    """Returns the word for where channels are, in small letters."""
    word = 'channels_last' if value is None else value.lower()
    if word not in ('channels_first', 'channels_last'):
        raise ValueError('The `data_format` argument must be one of "channels_first", "channels_last". '
                         f'Received: {value}')
    return word


def op_format(word: str, rank: int) -> str:
    """Returns what ops call a format of tensors of |rank| dimensions."""
    space = {3: 'W', 4: 'HW', 5: 'DHW'}[rank]
    return f'NC{space}' if word == 'channels_first' else f'N{space}C'

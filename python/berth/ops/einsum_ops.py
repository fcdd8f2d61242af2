"""einsum_ops - tf.einsum: sums of products, two operands at a time."""

from __future__ import annotations

import functools
import re
from typing import Any

from berth import _core as core
from berth.framework import convert, gen, scopes

_TERM = re.compile(r'[A-Za-z]*(\.\.\.)?[A-Za-z]*')


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Multiplies elements that have the same labels, and adds up those whose label the output lacks."""
    if not kwargs and 1 <= len(inputs) <= 2 and core.calls_shortly() and isinstance(
            inputs[0], core.Tensor) and isinstance(inputs[-1], core.Tensor) and type(equation) is str:
        return gen.apply('Einsum', None, {'inputs': inputs}, {'equation': _whole(equation, len(inputs))})
    equation = equation.replace(' ', '')
    name = kwargs.pop('name', None)
    kwargs.pop('optimize', None)  # How to go about it is decided here.
    kwargs.pop('greedy', None)
    if kwargs:
        raise TypeError(f'Invalid keyword arguments for einsum: {", ".join(kwargs)}. '
                        'Valid arguments: name, optimize, greedy.')
    with scopes.name_scope(name, 'einsum'):
        parts, output = _parse(equation, len(inputs))
        terms, values = list(parts), _convert(inputs)
        while len(values) > 2:
            kept = _kept(terms[0] + terms[1], terms[2:], output)
            values[:2] = [_contract(terms[:2], kept, values[:2])]
            terms[:2] = [kept]
        return _contract(terms, output, values)


@functools.lru_cache(maxsize=256)
def _parse(equation: str, count: int) -> tuple[tuple[str, ...], str]:
    """Returns the labels of each operand and of the output."""
    text = equation.replace(' ', '')
    left, arrow, output = text.partition('->')
    terms = left.split(',')
    if not all(_TERM.fullmatch(term) for term in [*terms, output]):
        raise ValueError(f'Subscripts have incorrect format: {equation}')
    if len(terms) != count:
        raise ValueError(f'Got {count} inputs for equation "{equation}", expecting {len(terms)}')
    if arrow:
        _check_output(equation, terms, output)
        return tuple(terms), output
    letters = left.replace(',', '').replace('.', '')
    once = sorted(label for label in set(letters) if letters.count(label) == 1)
    return tuple(terms), ('...' if '...' in left else '') + ''.join(once)


@functools.lru_cache(maxsize=256)
def _whole(equation: str, count: int) -> str:
    """Returns an equation with the labels of its output."""
    terms, output = _parse(equation, count)
    return f'{",".join(terms)}->{output}'


def _check_output(equation: str, terms: list[str], output: str) -> None:
    """Raises ValueError for labels of the output that are there twice, or in no operand."""
    labels = output.replace('.', '')
    if len(set(labels)) != len(labels):
        raise ValueError(f'Output subscripts contain a label appearing more than once: {equation}')
    for label in labels:
        if not any(label in term for term in terms):
            raise ValueError(f'Output subscripts contain the label {label} not present in the input subscripts.')


def _convert(inputs: Any) -> list[Any]:
    """Makes tensors of one type: that of the tensors among |inputs|."""
    kinds = [value.dtype for value in inputs if convert.is_tensor(value)]
    return [convert.convert_to_tensor(value, None if convert.is_tensor(value) or not kinds else kinds[0])
            for value in inputs]


def _kept(labels: str, later: list[str], output: str) -> str:
    """Returns the labels of a product that somebody still wants."""
    wanted = ''.join(later) + output
    kept = '...' if '...' in labels else ''
    return kept + ''.join(label for label in dict.fromkeys(labels.replace('.', '')) if label in wanted)


def _contract(terms: list[str], output: str, values: list[Any]) -> Any:
    return gen.apply('Einsum', None, {'inputs': values}, {'equation': f'{",".join(terms)}->{output}'})

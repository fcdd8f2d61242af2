"""callables.py - Functions made from CallableOptions messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth.framework import convert, dtypes, errors


def _tensor(session: Any, name: str) -> Any:
    try:
        return session.graph.get_tensor_by_name(name if ':' in name else name + ':0')
    except (KeyError, ValueError):
        raise errors.InvalidArgumentError(None, None, f'Tensor {name}, specified in either feed_devices or '
                                          'fetch_devices was not found in the Graph') from None


def _value(tensor: Any, given: Any) -> Any:
    array = np.asarray(given)
    kind = dtypes.as_dtype(array.dtype)
    names = {'float32': 'float', 'float64': 'double', 'float16': 'half'}
    wanted = tensor.dtype.base_dtype
    if kind != wanted:
        raise errors.InvalidArgumentError(
            None, None, f'Type mismatch: actual {names.get(kind.name, kind.name)} vs. expect '
            f'{names.get(wanted.name, wanted.name)}\n\t [[{{{{node _arg_{tensor.op.name}_{tensor.value_index}_0}}}}]]')
    return convert.make_tensor(array)


class _Callable:
    """A run that is planned: called with one value for each feed."""

    def __init__(self, session: Any, options: Any) -> None:
        self._feeds: list[Any] = [_tensor(session, n) for n in options.feed]
        fetches = [_tensor(session, n) for n in options.fetch]
        targets = [session.graph.get_operation_by_name(n).node for n in options.target]
        self._run = session._session.make_callable(self._feeds, fetches, targets)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        metadata = kwargs.get('run_metadata')
        if metadata is not None:
            raise NotImplementedError('A callable made from options does not fill in run_metadata; use Session.run.')
        if len(args) != len(self._feeds):
            raise errors.InvalidArgumentError(None, None, f'Expected {len(self._feeds)} feed tensors, but got '
                                              f'{len(args)}')
        return self._run(*[_value(t, v) for t, v in zip(self._feeds, args)])


def from_options(session: Any, options: Any) -> _Callable:
    """Returns a function that runs what |options| asks for."""
    return _Callable(session, options)

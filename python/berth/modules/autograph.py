"""autograph - tf.autograph: what of it makes sense without rewriting Python."""

from __future__ import annotations

from typing import Any, Callable, NoReturn, Optional

_NO_REWRITING = ('Berth traces functions as Python runs them and does not rewrite `if` and `while` on tensors; '
                 'use tf.cond and tf.while_loop, or tf.where')


def do_not_convert(func: Optional[Callable[..., Any]] = None) -> Any:
    """Returns |func| as it is: Berth converts no function."""
    return (lambda function: function) if func is None else func


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Takes the level of a log of conversions, of which there are none."""


def trace(*args: Any) -> None:
    """Prints its arguments while a function is traced."""
    print(*args)


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(f'tf.autograph.{name}: {_NO_REWRITING}')


def to_graph(entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None,
             experimental_optional_features: Any = None) -> Any:
    """Refuses: functions are not rewritten."""
    _refuse('to_graph')


def to_graph_v2(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> Any:
    """Refuses: functions are not rewritten."""
    _refuse('to_graph')


def to_code(entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None,
            indentation: Any = '  ', experimental_optional_features: Any = None) -> Any:
    """Refuses: functions are not rewritten."""
    _refuse('to_code')


def to_code_v2(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> Any:
    """Refuses: functions are not rewritten."""
    _refuse('to_code')

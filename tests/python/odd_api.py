"""odd_api.py - Calls the functions of the API with objects that they do not take.

    python odd_api.py 1|2

Whatever they are given, they raise what says so: never a SystemError, a bare
AssertionError or an endless recursion. Prints what did otherwise, and ends
with the line `survived N calls`.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from typing import Any, Callable

os.environ['BERTH_TF'] = sys.argv[1]

import numpy as np  # noqa: E402

import berth as tf  # noqa: E402

ODD = [None, 1j, 'a', b'x', True, 2**70, -1, [[1], [2, 3]], np.float16(1), np.array([object()]), object(), {}, [None],
       float('nan'), np.zeros((0, 3)), (1, 'a'), [1j], np.complex64(1), np.array(['a']), np.datetime64('2020-01-01'),
       10**400, type, len, {1}, np.array(1, np.uint16), bytearray(b'x'), memoryview(b'xx'), slice(1), ..., [[]],
       np.array([[1.5]], object), np.int8(3), -2**63, 2**63 - 1]
MODULES = ['', 'math', 'nn', 'random', 'linalg', 'strings', 'bitwise', 'image', 'experimental.dlpack']


def find(path: str) -> Any:
    """Returns a module of the API, or None."""
    found: Any = tf
    for word in filter(None, path.split('.')):
        found = getattr(found, word, None)
    return found


def is_called(function: Any) -> bool:
    """True for what makes values of its arguments; False for what prints, waits or ends the program."""
    return inspect.isfunction(function) and function.__name__ not in ('print', 'run', 'py_func', 'while_loop', 'exit')


def call(name: str, function: Callable[..., Any], values: list[Any]) -> None:
    """Calls it, and tells what it must not raise."""
    shown = ', '.join(repr(value)[:30] for value in values)
    try:
        function(*values)
    except TypeError:
        pass
    except (SystemError, AssertionError, RecursionError) as error:
        if isinstance(error, AssertionError) and name.endswith('.range'):
            return  # TensorFlow asserts that it can rank the types.
        print(f'{name}({shown}): {type(error).__name__}: {error}')
    except Exception as error:  # pylint: disable=broad-exception-caught
        if type(error).__name__ == 'UnknownError' or (type(error) is RuntimeError and 'unknown' in str(error)):
            print(f'{name}({shown}): {type(error).__name__}: {error}')


def main() -> None:
    """Goes through all of them."""
    warnings.simplefilter('ignore')
    calls = 0
    for path in MODULES:
        module = find(path)
        for name in sorted(dir(module)) if module is not None else []:
            function = getattr(module, name, None)
            if name.startswith('_') or not is_called(function):
                continue
            kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            needed = [one for one in inspect.signature(function).parameters.values()
                      if one.default is one.empty and one.kind in kinds]
            for odd in ODD:
                for fine in range(len(needed) + 1):
                    calls += 1
                    call(f'{path}.{name}', function, [[1.0, 2.0]] * fine + [odd] * (len(needed) - fine))
    print(f'survived {calls} calls')


if __name__ == '__main__':
    main()

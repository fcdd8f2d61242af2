"""call - Calls in converted code: who is converted before it is called, and who is called as it is."""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
import types
from typing import Any, Optional

from berth._autograph import builtin_calls, convert, directives, log, loops, operators, places, source, variables
from berth._autograph.options import STD, ConversionOptions, Feature, Status, StatusScope, state
from berth.framework.node import is_library_file

# Modules whose functions are called as they are.
_LEFT_ALONE = frozenset((
    'PIL', 'absl', 'berth', 'cProfile', 'collections', 'copy', 'inspect', 'ipdb', 'keras', 'linecache', 'matplotlib', 'mock',
    'numpy', 'pandas', 'pathlib', 'pdb', 'posixpath', 'pstats', 're', 'tensorflow', 'tensorflow_probability', 'tf_keras',
    'threading', 'urllib'))
_BUILTIN_TYPES = (types.BuiltinFunctionType, types.MethodWrapperType, types.WrapperDescriptorType,
                  types.MethodDescriptorType)
_BUILTINS = frozenset(id(value) for value in vars(builtins).values() if callable(value))
_CALL_THEIR_FIRST = frozenset(('map_fn', 'map_fn_v2', 'vectorized_map'))
_RUN_THEIR_FIRST = frozenset(('numpy_function', 'py_func', 'py_function'))  # As it is, when the graph runs.
_DISABLED = Status.DISABLED
_warned: dict[Any, Any] = {}  # Code, or functions, said to be called as they are, by identity and options.


def converted_call(f: Any, args: tuple[Any, ...], kwargs: Optional[dict[str, Any]], caller_fn_scope: Any = None,
                   options: Optional[ConversionOptions] = None) -> Any:
    """Calls |f|, converted if it is a function of the program."""
    if options is None:
        options = caller_fn_scope.callopts
    if state.stack[-1] is _DISABLED or hasattr(f, 'autograph_info__'):
        return f(*args) if kwargs is None else f(*args, **kwargs)
    if isinstance(f, functools.partial):
        return converted_call(f.func, f.args + args, {**f.keywords, **(kwargs or {})}, caller_fn_scope, options)
    if isinstance(f, _BUILTIN_TYPES) or id(f) in _BUILTINS:
        return _call_builtin(f, args, kwargs, caller_fn_scope)
    if isinstance(f, type) or not _is_converted(f, options):
        if getattr(f, '__name__', '') in _CALL_THEIR_FIRST:
            args, kwargs = _with_first(f, convert_later, args, kwargs)
        elif getattr(f, '__name__', '') in _RUN_THEIR_FIRST:
            args, kwargs = _with_first(f, do_not_convert, args, kwargs)
        return f(*args) if kwargs is None else f(*args, **kwargs)
    target, args = _target(f, args)
    code = getattr(target, '__code__', None)
    if code is None or code.co_filename == '<string>':
        return _call_as_it_is(f, target, args, kwargs)
    try:
        made = convert.of(target, options)
    except Exception as error:  # pylint: disable=broad-except
        _warn(f, code, options, error)
        return _call_as_it_is(f, target, args, kwargs)
    function = made.function(target, OPERATORS)
    try:
        return function(*args) if kwargs is None else function(*args, **kwargs)
    except Exception as error:  # pylint: disable=broad-except
        places.attach(error, made, __file__)
        raise


def _call_as_it_is(f: Any, target: Any, args: tuple[Any, ...], kwargs: Optional[dict[str, Any]]) -> Any:
    """Calls |target|, of which |f| is a method or an object that can be called."""
    if target is f:
        return f(*args, **(kwargs or {}))
    return target(*args, **(kwargs or {}))


def _target(f: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Returns the function behind |f|, and all that it is given."""
    if isinstance(f, types.MethodType):
        return f.__func__, (f.__self__, *args)
    if isinstance(f, types.FunctionType):
        return f, args
    return type(f).__call__, (f, *args)


def _call_builtin(f: Any, args: tuple[Any, ...], kwargs: Optional[dict[str, Any]], scope: Any) -> Any:
    if f is eval or f is globals or f is locals:
        return _in_frame(f, args, scope)
    f = builtin_calls.OVERLOADS.get(f, f) if id(f) in _BUILTINS else f
    return f(*args, **kwargs) if kwargs else f(*args)


def _in_frame(f: Any, args: tuple[Any, ...], scope: Any) -> Any:
    """Calls what looks at the frame of its caller."""
    frame: Any = inspect.currentframe()
    while frame is not None and frame.f_locals.get(scope.name) is not scope:
        frame = frame.f_back
    if f is not eval:
        return frame.f_locals if f is locals else frame.f_globals
    return eval(*(*args, *(frame.f_globals, frame.f_locals)[len(args) - 1:]))  # pylint: disable=eval-used


# ---- Who is converted ----


def _is_converted(f: Any, options: ConversionOptions) -> bool:
    """True for functions of the program, and what can be called as one."""
    if isinstance(f, functools._lru_cache_wrapper) or not options.internal_convert_user_code:
        return False
    if _is_wrapt(f):
        log.warning('%s', f'{f} appears to be decorated by wrapt, which is not yet supported by AutoGraph. The function '
                        'will run as-is. You may still apply AutoGraph before the wrapt decorator.')
        return False
    target = f if isinstance(f, (types.FunctionType, types.MethodType)) else type(f).__call__
    if hasattr(target, 'autograph_info__'):
        return False
    if options.user_requested:
        return not _is_of_library(f)
    if _is_left_alone(f) or _is_left_alone(target):
        return False
    if getattr(getattr(target, '__code__', None), 'co_flags', 0) & inspect.CO_GENERATOR:
        return False
    return not _is_of_test(f)


def _is_left_alone(f: Any) -> bool:
    module = getattr(f, '__module__', None)
    return isinstance(module, str) and module.partition('.')[0] in _LEFT_ALONE


def _is_of_library(f: Any) -> bool:
    """True for functions of Berth's own, such as tf.nn.relu."""
    target = getattr(f, '__func__', f)
    if not isinstance(target, types.FunctionType):
        target = type(f).__call__
    code = getattr(target, '__code__', None)
    return code is not None and is_library_file(code.co_filename) and _is_left_alone(target)


def _is_wrapt(f: Any) -> bool:
    wrapt = sys.modules.get('wrapt')
    return wrapt is not None and isinstance(f, (wrapt.FunctionWrapper, wrapt.BoundFunctionWrapper))


def _is_of_test(f: Any) -> bool:
    """True for methods of unittest's test cases."""
    unittest = sys.modules.get('unittest')
    return isinstance(f, types.MethodType) and unittest is not None and isinstance(f.__self__, unittest.TestCase)


def _with_first(f: Any, change: Any, args: tuple[Any, ...], kwargs: Any) -> tuple[tuple[Any, ...], Any]:
    """Returns the arguments of a function of the library that calls its first one, with |change| made to that."""
    if not _is_left_alone(f):
        return args, kwargs
    if args:
        return (change(args[0]), *args[1:]), kwargs
    return args, {key: change(value) if key in ('fn', 'func') else value for key, value in (kwargs or {}).items()}


def convert_later(f: Any) -> Any:
    """Returns what calls |f| converted, where calls are converted."""
    if not callable(f) or hasattr(f, 'autograph_info__') or state.stack[-1] is _DISABLED:
        return f

    def called(*args: Any, **kwargs: Any) -> Any:
        return converted_call(f, args, kwargs or None, options=STD)

    return operators.autograph_artifact(functools.wraps(f)(called) if hasattr(f, '__name__') else called)


def _warn(f: Any, code: Any, options: ConversionOptions, error: Exception) -> None:
    """Says that a function is called as it is, and why."""
    is_known = isinstance(error, source.Unsupported)
    of = code if is_known else getattr(f, '__func__', f)
    key = id(of), options.key
    if key in _warned:
        return
    if len(_warned) > 4096:
        _warned.clear()
    _warned[key] = of
    hint = '' if isinstance(error, (source.InaccessibleSource, source.Unsupported)) else (
        'Please report this to the TensorFlow team. When filing the bug, set the verbosity to 10 (on Linux, `export '
        'AUTOGRAPH_VERBOSITY=10`) and attach the full output.\n')
    log.warning('AutoGraph could not transform %s and will run it as-is.\n%sCause: %s\nTo silence this warning, decorate '
                    'the function with @tf.autograph.experimental.do_not_convert', f, hint, error)


# ---- The calls of tf.function ----


def call_converted(f: Any, args: Any, kwargs: dict[str, Any], features: Any = None) -> Any:
    """Calls the function of a program that is being traced; errors say where they came from."""
    options = TOP if not features else ConversionOptions(True, True, True, features)
    try:
        return converted_call(f, tuple(args), kwargs or None, options=options)
    except Exception as error:  # pylint: disable=broad-except
        told = places.explained(error)
        if told is error:
            raise
        raise told from None


def do_not_convert(func: Any = None) -> Any:
    """Returns |func| such that neither it nor what it calls is converted."""
    if func is None:
        return do_not_convert

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with StatusScope(Status.DISABLED):
            return func(*args, **kwargs)

    if inspect.isfunction(func) or inspect.ismethod(func):
        wrapper = functools.update_wrapper(wrapper, func)
    return operators.autograph_artifact(wrapper)


TOP = ConversionOptions(True, True, True, None)


class _Operators:
    """What converted code finds under the name ag__."""


OPERATORS = _Operators()
for _module in (operators, loops, variables, directives):
    vars(OPERATORS).update({key: value for key, value in vars(_module).items() if not key.startswith('_')})
vars(OPERATORS).update(converted_call=converted_call, ConversionOptions=ConversionOptions, STD=STD, Feature=Feature)

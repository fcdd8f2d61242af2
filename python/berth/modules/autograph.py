"""autograph - tf.autograph: functions converted by hand, and what conversions are told."""

from __future__ import annotations

from typing import Any

from berth._autograph import call, convert, log, operators, places
from berth._autograph.call import do_not_convert as do_not_convert
from berth._autograph.directives import set_element_type as set_element_type
from berth._autograph.directives import set_loop_options as set_loop_options
from berth._autograph.options import ConversionOptions
from berth._autograph.options import Feature as Feature

set_verbosity = log.set_verbosity


def trace(*args: Any) -> None:
    """Prints its arguments while a function is traced."""
    print(*args)


def _checked(entity: Any) -> Any:
    """Returns the function to convert; a method's without its object."""
    entity = getattr(entity, '__func__', entity)
    if not hasattr(entity, '__code__'):
        raise ValueError("Cannot apply autograph to a function that doesn't expose a __code__ object. If this is a "
                         '@tf.function, try passing f.python_function instead.')
    return entity


def _options(recursive: bool, features: Any) -> ConversionOptions:
    return ConversionOptions(recursive, True, True, features)


def to_graph_v2(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> Any:
    """Returns |entity|, a function, converted."""
    try:
        function = _checked(entity)
        made = convert.of(function, _options(recursive, experimental_optional_features)).function(function, call.OPERATORS)
    except (ValueError, AttributeError, KeyError, NameError, AssertionError) as error:
        log.error(1, 'Error converting %s', entity)
        raise places.ConversionError(f'converting {entity}: {type(error).__name__}: {error}') from None
    made.__name__ = 'tf__' + ('lam' if function.__name__ == '<lambda>' else function.__name__)
    return operators.autograph_artifact(made)


def to_graph(entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None,
             experimental_optional_features: Any = None) -> Any:
    """Returns |entity|, a function, converted."""
    return to_graph_v2(entity, recursive, experimental_optional_features)


def to_code_v2(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Returns the source of |entity|, a function, converted."""
    to_graph_v2(entity, recursive, experimental_optional_features)
    return convert.text_of(_checked(entity), _options(recursive, experimental_optional_features))


def to_code(entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None, indentation: Any = '  ',
            experimental_optional_features: Any = None) -> str:
    """Returns the source of |entity|, a function, converted."""
    return to_code_v2(entity, recursive, experimental_optional_features)

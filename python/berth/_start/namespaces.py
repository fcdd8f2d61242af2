"""namespaces - Where every public name comes from, and the modules that hold them.

The tables (`api`) say "module: names" for each namespace: `tf.nn.relu` is the name
`relu` of namespace `nn`. A module is imported when one of its names is first used.
"""

from __future__ import annotations

import importlib
import os
import sys
import types

from berth import _mode
from berth._start import arguments

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from typing import Any, Optional

_V1, _V2 = 'compat.v1', 'compat.v2'

_tables: dict[int, dict[str, dict[str, str]]] = {}
_spaces: dict[tuple[int, str], 'Namespace'] = {}
_public = 'berth'  # What the package is called by the program.


def set_public_name(name: str) -> None:
    """Makes messages call the package |name|."""
    global _public
    _public = name
    _mode.set_name(name)


def table(mode: int) -> dict[str, dict[str, str]]:
    """Returns "module:attribute" by namespace and name, for TF1 or TF2."""
    if mode not in _tables:
        wish = os.environ.get('BERTH_TF', '')
        if wish not in ('', '1', '2'):
            raise ValueError(f"BERTH_TF needs 1 or 2, not '{wish}'")
        from berth._start import api

        _tables[mode] = api.read(mode)
    return _tables[mode]


_LIVE = 'config', 'live'  # A setting that looks like a name: `tf.config.live = True`.


def _settings() -> Any:
    return load('base.devices:settings')


class Namespace(types.ModuleType):
    """A module such as tf.nn that finds its names in the table."""

    def __init__(self, mode: int, path: str) -> None:
        super().__init__(_module_name(mode, path))
        self._berth = mode, path
        self.__path__: list[str] = []  # So that names below it can be imported.

    def __getattr__(self, name: str) -> Any:
        mode, path = self.__dict__['_berth']
        if (path, name) == _LIVE:
            return _settings().live
        value = names(mode, path) if name == '__all__' else find(mode, path, name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name != '_berth' and (self.__dict__['_berth'][1], name) == _LIVE:
            _settings().live = bool(value)
        else:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return names(*self._berth)


class Front(types.ModuleType):
    """The module `tensorflow`: the package, by its other name."""

    def __init__(self, package: Any) -> None:
        super().__init__(_public if _mode.mode() == 2 else f'{_public}.{_V1}', package.__doc__)
        self.__file__ = package.__file__
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name == '__all__':
            return names(_mode.mode(), '')
        value = getattr(sys.modules['berth'], name)
        if not name.startswith('_'):
            self.__dict__[name] = value
            _fronted.append((self, name))
        return value

    def __dir__(self) -> list[str]:
        return dir(sys.modules['berth'])


# What a program prints of a module's type.
for _kind in (Namespace, Front):
    _kind.__name__ = _kind.__qualname__ = 'module'

_fronted: list[tuple[Front, str]] = []  # Names that were looked up.


def forget() -> None:
    """Makes `tensorflow` look its names up again."""
    while _fronted:
        front, name = _fronted.pop()
        front.__dict__.pop(name, None)


def _module_name(mode: int, path: str) -> str:
    """Returns what a namespace is called: by TensorFlow's own name for it, where that is installed."""
    if path == 'python' or path.startswith(('python.', 'core')):
        return f'{_public}.{path}'
    if _public == 'berth':
        return '.'.join(part for part in ('berth', _full_path(mode, path)) if part)
    return '.'.join(part for part in (_public, '_api.v2', _V1 if mode == 1 else '', path) if part)


def _full_path(mode: int, path: str) -> str:
    prefix = '' if mode == _mode.mode() else (_V1 if mode == 1 else _V2)
    return '.'.join(part for part in (prefix, path) if part)


def space(mode: int, path: str) -> 'Namespace':
    """Returns the one namespace object of |path|."""
    found = _spaces.get((mode, path))
    if found is None:
        found = _spaces[mode, path] = Namespace(mode, path)
    return found


def names(mode: int, path: str) -> list[str]:
    """Returns the names in a namespace, sorted."""
    if _is_python(path):
        from berth._start import python_modules

        return python_modules.names(path[len('python.'):])
    tables = table(mode)
    prefix = path + '.' if path else ''
    inner = {key[len(prefix):].partition('.')[0] for key in tables
             if key.startswith(prefix) and key != path}
    versions = {'v1', 'v2'} if path == 'compat' else set()
    # TensorFlow hides these, where they can be imported all the same.
    return sorted((inner | versions | set(tables.get(path, ()))) - {'compiler', 'core'})


def is_of_keras(mode: int, path: str) -> bool:
    """True for names that TensorFlow takes from the package keras."""
    first = path.partition('.')[0]
    return first == 'keras' or mode == 2 and first in ('initializers', 'losses', 'metrics', 'optimizers')


def _is_python(path: str) -> bool:
    return path == 'python' or path.startswith('python.')


def find(mode: int, path: str, name: str) -> Any:
    """Returns what |name| is in namespace |path|; AttributeError when there is none."""
    if _is_python(path):
        return _find_python(mode, path, name)
    inner = f'{path}.{name}' if path else name
    if path.startswith('contrib.') and 'python' in inner.split('.'):
        return _find_in_contrib(mode, inner)
    tables = table(mode)
    source = tables.get(path, {}).get(name)
    if is_of_keras(mode, inner):
        from berth._start import keras_package

        found = keras_package.find(inner)
        if found is not None:
            return found
    if source is not None:
        return _published(load(source), mode, inner) if source.endswith(':') else public(source)
    if inner in (_V1, _V2):
        return space(1 if inner == _V1 else 2, '')
    if inner in ('compat', 'python') or inner in tables or any(k.startswith(inner + '.') for k in tables):
        return space(mode, inner)
    raise _missing(mode, path, name)


# Modules below tensorflow.contrib.*.python.ops, whose names are those of the package.
_MODULES = {
    'cudnn_rnn': ('cudnn_rnn', 'cudnn_rnn_ops'),
    'legacy_seq2seq': ('seq2seq',),
    'rnn': ('core_rnn', 'core_rnn_cell', 'fused_rnn_cell', 'gru_ops', 'lstm_ops', 'rnn', 'rnn_cell'),
    'seq2seq': ('attention_wrapper', 'basic_decoder', 'beam_search_decoder', 'beam_search_ops', 'decoder', 'helper',
                'loss'),
}


def _find_in_contrib(mode: int, path: str) -> Any:
    """Returns what tensorflow.contrib has where it was written: contrib.learn.python.learn.datasets is its datasets."""
    parts = path.split('.')
    at = parts.index('python')
    rest = parts[at + 2:]
    if rest and rest[0] in _MODULES.get(parts[at - 1], ()):
        own = table(mode).get('.'.join(parts[:at + 3]), {})
        if len(rest) > 1 and rest[1] in own:
            return public(own[rest[1]])
        rest = rest[1:]
    if not rest:
        find(mode, '.'.join(parts[:at - 1]), parts[at - 1])
        return space(mode, path)
    return find(mode, '.'.join(parts[:at] + rest[:-1]), rest[-1])


def _find_python(mode: int, path: str, name: str) -> Any:
    """Returns what is below tensorflow.python."""
    from berth._start import python_modules

    try:
        return python_modules.find(path[len('python.'):], name)
    except AttributeError:
        raise _missing(mode, path, name) from None


def load(source: str) -> Any:
    """Imports "module:attribute"; without an attribute it is the module."""
    module_name, _, attribute = source.partition(':')
    module = importlib.import_module('berth.' + module_name)
    _complete()
    return getattr(module, attribute) if attribute else module


def public(source: str) -> Any:
    """Returns what programs have of "module:attribute": functions with words for arguments that do not fit."""
    value = load(source)
    if not arguments.looks_first(source):
        return value
    return load('framework.arguments:public')(value, (public, (source,)))


def _published(module: Any, mode: int, path: str) -> Any:
    """Gives a module of Berth's that is public as it is TensorFlow's name, and words for what it lacks."""
    if _public != 'berth' and module.__name__.startswith('berth.'):
        module.__name__ = _module_name(mode, path)
        if '__getattr__' not in vars(module):
            module.__getattr__ = lambda name: _lacking(module, mode, path, name)
    return module


def _lacking(module: Any, mode: int, path: str, name: str) -> Any:
    raise _missing(mode, path, name, module.__name__)


def _complete() -> None:
    """Gives tensors operators, as soon as there can be any."""
    if 'berth.framework.node' in sys.modules and 'berth.ops.operators' not in sys.modules:
        importlib.import_module('berth.ops.operators')


# ---- What is missing ----


def _missing(mode: int, path: str, name: str, full: str = '') -> AttributeError:
    """Says that there is no such name in the module called |full|, and what there is instead."""
    module = _spaces.get((mode, path))
    if full:
        pass
    elif module is not None:
        full = module.__name__
    elif _public == 'berth' or path:
        full = _module_name(mode, path)
    else:
        full = _public if mode == 2 else f'{_public}.{_V1}'
    text = f'module {full!r} has no attribute {name!r}'
    error = AttributeError(text) if name.startswith('_') else _with_hint(AttributeError, text, mode, path, name)
    error.name = None  # Python would guess at another name, knowing less.
    return error


def _with_hint(kind: Any, text: str, mode: int, path: str, name: str) -> Any:
    """Returns an error of TensorFlow's text that also says what to do.

    Where TensorFlow has the name, its text would not be true, and says whose fault it is.
    """
    from berth._start import hints

    is_ours, hint = hints.about(mode, path, name)
    if is_ours or sys.version_info < (3, 11):
        return kind(f'{text}{": " if is_ours else ". "}{hint}' if hint else text)
    error = kind(text)
    if hint:
        error.add_note(hint)
    return error


# ---- Importing namespaces as modules ----


def module_of(path: str) -> Optional[types.ModuleType]:
    """Returns what `import berth.<path>` means beyond the files of the package, or None."""
    mode = _mode.mode()
    for prefix, which in ((_V1, 1), (_V2, 2)):
        if path == prefix or path.startswith(prefix + '.'):
            mode, path = which, path[len(prefix) + 1:]
    if not path:
        return space(mode, '')
    parent, _, last = path.rpartition('.')
    try:
        found = find(mode, parent, last)
    except (AttributeError, ModuleNotFoundError):
        return None
    return found if isinstance(found, types.ModuleType) else None


def import_error(name: str, is_from: bool) -> ImportError:
    """Says that |name|, such as "tensorflow.keras", cannot be imported; |is_from| for a name of a module."""
    mode, path = _mode.mode(), name.partition('.')[2]
    if path.startswith(_V1 + '.'):
        mode, path = 1, path[len(_V1) + 1:]
    parent, _, last = path.rpartition('.')
    text = f'No module named {name!r}'
    if is_from:
        owner = sys.modules.get(name.rpartition('.')[0])
        place = getattr(owner, '__file__', None) or 'unknown location'
        text = f"cannot import name {last!r} from {getattr(owner, '__name__', '')!r} ({place})"
    error = _with_hint(ImportError if is_from else ModuleNotFoundError, text, mode, parent, last)
    error.name = name
    return error

"""_start - What happens before a program runs: its mode is settled, and imports find Berth.

Elsewhere here: `script` runs a program, `source` reads one for signs of TF1, `namespaces`
and the tables `api*` say what every public name is. They are loaded when they are needed.
"""

from __future__ import annotations

import os
import sys

from berth import _mode

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Optional

NAME = 'tensorflow'
_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'child')


# ---- TF1 or TF2 ----


def settle_running() -> None:
    """Settles the mode for the program that this process runs."""
    # multiprocessing gives the program another name while it starts a process anew.
    for name in ('__main__', '__mp_main__'):
        path = getattr(sys.modules.get(name), '__file__', None)
        if isinstance(path, str):
            settle(path)
            return
    words = getattr(sys, 'orig_argv', [])
    if sys.argv[:1] == ['-c'] and '-c' in words[:-1]:
        settle_source(words[words.index('-c') + 1])
    else:
        settle(None)


def settle(path: Optional[str]) -> None:
    """Takes the mode from the environment, or from the program at |path|."""
    if not _obey_environment():
        if path is None:
            _mode.set_mode(2, 'there is no source to read')
            return
        from berth._start import source

        _obey_source(*source.detect(path))
    if path is not None:
        _note_age(path, None)


def settle_source(text: str, name: str = '<string>') -> None:
    """Takes the mode from the environment, or from a program given as text."""
    if not _obey_environment():
        from berth._start import source

        _obey_source(*source.detect_source(text, name))
    _note_age(name, text)


def _note_age(path: str, text: Optional[str]) -> None:
    """Gives a program of TF1 that uses names from before 1.0 the functions of that time; a line says so."""
    if _mode.mode() != 1:
        return
    from berth._start import age

    sign = age.sign(path, text)
    _mode.set_early(bool(sign))
    if sign and os.environ.get('TF_CPP_MIN_LOG_LEVEL', '0') in ('', '0') and not _is_child():
        print(f'berth: with the names and arguments of TensorFlow before 1.0 ({sign})', file=sys.stderr)


def _obey_source(mode: int, reason: str) -> None:
    """Settles the mode as the source says; a line tells why it is TF1, which nobody asked for."""
    _mode.set_mode(mode, reason)
    if mode == 1 and os.environ.get('TF_CPP_MIN_LOG_LEVEL', '0') in ('', '0') and not _is_child():
        print(f'berth: running as TF1 ({reason}); --tf1 or BERTH_TF=1 says so without this line',
              file=sys.stderr)


def _is_child() -> bool:
    """True in a process of multiprocessing, whose parent has said it all."""
    process = sys.modules.get('multiprocessing.process')
    if process is None:
        return False
    # While its program is imported, it has no parent yet.
    return process.parent_process() is not None or getattr(process.current_process(), '_inheriting', False)


def _obey_environment() -> bool:
    """Settles the mode by BERTH_TF; returns whether there is one."""
    wish = os.environ.get('BERTH_TF', '')
    if wish not in ('1', '2'):
        return False  # What else it may say is refused when a name is looked up.
    _mode.set_mode(int(wish), f'BERTH_TF={wish}')
    return True


# ---- What import statements find ----


class Finder:
    """Finds `<root>.nn`, `<root>.compat.v1` and the like for import statements."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._front: Any = None

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Returns how to import |name|, or None when it is not ours."""
        root, _, rest = name.partition('.')
        if root != self._root:
            return None
        from importlib.machinery import ModuleSpec

        from berth._start import namespaces

        found: Optional[ModuleType] = namespaces.module_of(rest) if rest else self._package()
        if found is None:
            self._refuse(name)
            return None
        loader: Any = _Loader(found)
        return ModuleSpec(name, loader, origin=getattr(found, '__file__', None), is_package=True)

    def _package(self) -> Any:
        """Returns the package by the name of this finder."""
        if self._root == 'berth':
            return sys.modules['berth']
        if self._front is None:
            from berth._start import namespaces

            self._front = namespaces.Front(sys.modules['berth'])
        return self._front

    def _refuse(self, name: str) -> None:
        """Raises an ImportError that says more than Python's, unless somebody only looks."""
        callers = _callers()
        if '_find_and_load_unlocked' not in callers or (name.startswith('berth.') and name.count('.') == 1
                                                        and name.rpartition('.')[2].startswith('_')):
            return
        from berth._start import namespaces

        raise namespaces.import_error(name, '_handle_fromlist' in callers)


def _callers() -> list[str]:
    """Returns the functions of the import system that are asking."""
    found: list[str] = []
    frame: Any = sys._getframe(2)
    while frame is not None and (not found or 'importlib' in frame.f_code.co_filename):
        if 'importlib' in frame.f_code.co_filename:
            found.append(frame.f_code.co_name)
        frame = frame.f_back
    return found


class _Loader:
    """Puts a module that exists already under another name."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: Any) -> None:
        """Leaves that to Python: the module made is thrown away."""

    def exec_module(self, module: ModuleType) -> None:
        """Replaces the new module by the one that exists."""
        if self._module.__spec__ is None:
            self._module.__spec__ = module.__spec__
            if getattr(self._module, '_berth', None):
                self._module.__name__ = module.__name__  # As TensorFlow's are, once they are imported.
        sys.modules[module.__name__] = self._module


def loaded_namespaces() -> Any:
    """Returns the module of namespaces, if a name was looked up already."""
    return sys.modules.get('berth._start.namespaces')


def install_finder() -> None:
    """Makes `import berth.compat.v1` and the like work."""
    sys.meta_path.append(Finder('berth'))


def install_tensorflow() -> None:
    """From now on `tensorflow` and what is below it are Berth's, in this process."""
    if is_installed():
        return
    from berth._start import namespaces

    if NAME in sys.modules:
        raise ImportError('TensorFlow itself is imported already; `berth run` comes too late')
    # In front, so that a TensorFlow that is installed is not found.
    sys.meta_path.insert(0, Finder(NAME))
    namespaces.set_public_name(NAME)
    _reach_children()


def stand_for_tensorflow() -> None:
    """Makes `import tensorflow` mean Berth for what is imported from now on, such as the package keras.

    Classes are known by TensorFlow's names then: the package tells tensors and datasets by these.
    """
    if is_installed():
        return
    if NAME in sys.modules:
        raise ImportError('TensorFlow itself is imported already, and the package keras uses that: import berth, and '
                          'tf.keras of it, first')
    from berth._start import namespaces

    sys.meta_path.insert(0, Finder(NAME))
    namespaces.set_public_name(NAME)
    namespaces.load('base.naming:name_all')()


def _reach_children() -> None:
    """Makes Python processes that this one starts find Berth by the same name."""
    # multiprocessing hands the path over as it is here; the folder of the script stays first.
    sys.path.insert(1, _CHILD)
    paths = os.environ.get('PYTHONPATH', '').split(os.pathsep)
    if _CHILD not in paths:
        os.environ['PYTHONPATH'] = os.pathsep.join([_CHILD] + [path for path in paths if path])


def is_installed() -> bool:
    """True once install_tensorflow() has been called."""
    return any(isinstance(finder, Finder) and finder._root == NAME
               for finder in sys.meta_path)

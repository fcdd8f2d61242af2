"""script - Runs a program as Python itself would, with `tensorflow` meaning Berth.

The program is `__main__`, has its own arguments and path, and ends as it would alone:
what it raises is printed without the frames of this module.
"""

from __future__ import annotations

import os
import sys

from berth import _start

TYPE_CHECKING = False  # The module typing would take longer than all of this.
if TYPE_CHECKING:
    from types import ModuleType, TracebackType
    from typing import Any, Callable, Optional


def run_file(script: str, arguments: list[str]) -> int:
    """Runs the file |script|; returns the exit status."""
    try:
        with open(script, 'rb') as file:
            source = file.read()
    except OSError as error:
        print(f"berth: cannot open '{script}': {error.strerror}", file=sys.stderr)
        return 2
    path = os.path.abspath(script)
    _enter([script, *arguments], os.path.dirname(os.path.realpath(script)))
    _start.settle(path)
    _start.install_tensorflow()
    return _execute(lambda: exec(compile(source, path, 'exec'), _new_main(path).__dict__))


def run_code(code: str, argv: list[str], name: str = '<string>') -> int:
    """Runs |code|, which has no file; returns the exit status."""
    _enter(argv, '')
    _start.settle_source(code, name)
    _start.install_tensorflow()
    return _execute(lambda: exec(compile(code, name, 'exec'), _new_main(None).__dict__))


def run_module(module: str, arguments: list[str]) -> int:
    """Runs |module| as `python -m` would; returns the exit status."""
    import runpy

    from berth._start import source

    folder = os.getcwd()
    _enter([module, *arguments], folder)
    _start.settle(source.local_file(folder, module + '.__main__') or source.local_file(folder, module))
    _start.install_tensorflow()
    return _execute(lambda: runpy.run_module(module, run_name='__main__', alter_sys=True))


def _enter(argv: list[str], folder: str) -> None:
    """Gives the program its arguments and the first entry of its path."""
    sys.argv = argv
    if not getattr(sys.flags, 'safe_path', False):
        sys.path[0] = folder


def _new_main(path: Optional[str]) -> ModuleType:
    """Returns a new module `__main__`, with the names that Python gives it."""
    import builtins

    main: Any = type(sys)('__main__')
    main.__builtins__ = builtins
    main.__annotations__ = {}
    if path is not None:
        from importlib.machinery import SourceFileLoader

        main.__file__, main.__cached__ = path, None
        main.__loader__ = SourceFileLoader('__main__', path)
    sys.modules['__main__'] = main
    return main


def _execute(program: Callable[[], Any]) -> int:
    """Calls |program|; what it raises is reported by Python, without what called it."""
    trace = os.environ.pop('BERTH_TRACE_FILE', '')
    if trace:
        from berth._start import namespaces

        namespaces.load('modules.profiler:trace_program')(os.path.abspath(trace))
    try:
        program()
    except BaseException:
        hook = sys.excepthook
        sys.excepthook = lambda kind, value, trace: hook(kind, _trim(value), value.__traceback__)
        raise
    # Exiting with a status writes what C has printed first; at the end of a script by
    # itself it comes last.
    sys.stdout.flush()
    return 0


def _trim(error: BaseException) -> BaseException:
    """Takes off the frames above the program: the command's, this module's, and runpy's."""
    trace: Optional[TracebackType] = error.__traceback__
    while trace is not None and trace.tb_frame.f_code is not _execute.__code__:
        trace = trace.tb_next
    while trace is not None and _is_above(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    error.__traceback__ = trace
    return error


def _is_above(filename: str) -> bool:
    """True for the files between _execute and the program."""
    return filename == __file__ or 'runpy' in os.path.basename(filename)

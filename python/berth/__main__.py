"""__main__ - `python -m berth run script.py args…`."""

from __future__ import annotations

import os
import sys
from typing import Optional

_USAGE = """usage: python -m berth run [options] script.py [arguments]

Runs a TensorFlow program on Berth: `import tensorflow` means Berth in it.

  --tf1, --tf2            the program is of TF1 (graphs and sessions), or of TF2
  --simulate CARDS        work on cards made in software, e.g. 'Tesla K40c'
  --log-placement[=STYLE] print where each op runs: tf2 (default) or classic
  --growth                let GPU memory grow as it is used
  --memory-limit MB       let each GPU use this many megabytes
  --soft-placement        run ops elsewhere when their device is missing
  --visible CARDS         use only these cards, e.g. 0,2
  --log-level N           drop lines of the log: 1 information, 2 warnings, 3 errors
  -m MODULE               run a module instead of a file
"""

# Options that only set a variable of the environment; those with None take a value.
_VARIABLES = {
    '--simulate': ('BERTH_SIMULATE_GPUS', None),
    '--growth': ('TF_FORCE_GPU_ALLOW_GROWTH', 'true'),
    '--memory-limit': ('BERTH_GPU_MEMORY_LIMIT_MB', None),
    '--soft-placement': ('BERTH_SOFT_PLACEMENT', '1'),
    '--visible': ('CUDA_VISIBLE_DEVICES', None),
    '--log-level': ('TF_CPP_MIN_LOG_LEVEL', None),
    '--tf1': ('BERTH_TF', '1'),
    '--tf2': ('BERTH_TF', '2'),
}


class _UsageError(Exception):
    """The arguments make no sense."""


def _set_option(word: str, rest: list[str]) -> None:
    """Obeys one option; takes its value from |rest| unless it follows an equals sign."""
    name, equals, value = word.partition('=')
    if name == '--log-placement':
        os.environ['BERTH_LOG_PLACEMENT'] = '1'
        os.environ['BERTH_PLACEMENT_LOG'] = value or 'tf2'
        return
    if name not in _VARIABLES:
        raise _UsageError(f'unknown option {name}')
    variable, fixed = _VARIABLES[name]
    if fixed is not None and equals:
        raise _UsageError(f'{name} takes no value')
    if fixed is None and not equals:
        if not rest:
            raise _UsageError(f'{name} needs a value')
        value = rest.pop(0)
    os.environ[variable] = fixed or value


def _parse(arguments: list[str]) -> tuple[str, list[str], bool]:
    """Returns the script, its arguments, and whether it is the name of a module."""
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == '-m' and rest:
            return rest[0], rest[1:], True
        if word == '--' and rest:
            return rest[0], rest[1:], False
        if not word.startswith('-'):
            return word, rest, False
        _set_option(word, rest)
    raise _UsageError('there is no script to run')


def _run_file(script: str, arguments: list[str]) -> None:
    """Runs |script| as Python itself would."""
    from berth import _hook, _mode

    with open(script, 'rb') as file:
        source = file.read()
    main = type(sys)('__main__')
    main.__file__ = script
    main.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.modules['__main__'] = main
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    _mode.settle(script)
    _hook.install()
    exec(compile(source, script, 'exec'), main.__dict__)


def _run_module(module: str, arguments: list[str]) -> None:
    """Runs |module| as `python -m` would."""
    import runpy

    from berth import _hook, _mode

    sys.argv = [module, *arguments]
    sys.path[0] = os.getcwd()
    _mode.settle(_mode.local_file(os.getcwd(), module))
    _hook.install()
    runpy.run_module(module, run_name='__main__', alter_sys=True)


def _run_program(words: list[str]) -> int:
    """Replaces this process by the program `berth`, which does all but Python scripts."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'bin', 'berth')
    if not os.path.exists(program):
        raise _UsageError(f"unknown command '{words[0]}'; there is `run`")
    os.execv(program, ['berth', *words])


def _is_for_program(words: list[str]) -> bool:
    """True when the arguments are not about a script: another command, or a graph to run."""
    if words[0] != 'run':
        return not words[0].endswith('.py')
    before = words[1:words.index('--')] if '--' in words else words[1:]
    scripts = [i for i, word in enumerate(before) if word.endswith('.py') or word == '-m']
    graphs = [i for i, word in enumerate(before) if word.endswith(('.pb', '.pbtxt'))]
    return bool(graphs) and (not scripts or graphs[0] < scripts[0])


def main(arguments: Optional[list[str]] = None) -> int:
    """Does what the command line says; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in ('-h', '--help') or words[:2] in (['run', '-h'], ['run', '--help']):
        print(_USAGE, end='')
        return 0 if words else 2
    try:
        if _is_for_program(words):
            return _run_program(words)
        script, rest, is_module = _parse(words[1:] if words[0] == 'run' else words)
    except _UsageError as error:
        print(f'berth: {error}; see python -m berth --help', file=sys.stderr)
        return 2
    if is_module:
        _run_module(script, rest)
    elif not os.path.isfile(script):
        print(f"berth: there is no file '{script}'", file=sys.stderr)
        return 2
    else:
        _run_file(script, rest)
    # Exiting with a status writes what C has printed first; at the end of a script by
    # itself it comes last.
    sys.stdout.flush()
    return 0


if __name__ == '__main__':
    sys.exit(main())

"""__main__ - The command `berth`, and `python -m berth`.

Python scripts are run here. Everything else, graphs among it, is done by the program
`berth` of C, which lies in the package; its help and its manual speak for both.
"""

from __future__ import annotations

import os
import sys

from berth.base import wishes

TYPE_CHECKING = False  # The module typing would take longer than all of this.
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

# What only `berth run GRAPH` takes: with one of these an unusual file name is a graph.
_GRAPH_OPTIONS = ('--feed', '--fetch', '--target', '--out', '--repeat', '--timeout')


class _UsageError(Exception):
    """The arguments make no sense."""


# ---- Options ----

# Options leave a variable in the environment, where the library, `_mode` and `base.devices`
# find it: with a fixed value, or with one that is given and passes the check.
_FLAGS = {
    '--tf1': ('BERTH_TF', '1'),
    '--tf2': ('BERTH_TF', '2'),
    '--growth': ('TF_FORCE_GPU_ALLOW_GROWTH', 'true'),
    '--soft-placement': ('BERTH_SOFT_PLACEMENT', '1'),
    '--log-placement': ('BERTH_LOG_PLACEMENT', '1'),
    '--explain': ('BERTH_EXPLAIN', '1'),
    '--verbose': ('BERTH_LOG', 'cards'),
}
_VALUES: dict[str, tuple[str, Callable[[str], str]]] = {
    '--log-placement=': ('BERTH_PLACEMENT_LOG', wishes.style),
    '--simulate': ('BERTH_SIMULATE_GPUS', wishes.any_text),
    '--gpu': ('BERTH_GPU', wishes.any_text),
    '--visible': ('CUDA_VISIBLE_DEVICES', wishes.any_text),
    '--memory-limit': ('BERTH_GPU_MEMORY_LIMIT_MB', wishes.number),
    '--memory-fraction': ('BERTH_GPU_MEMORY_FRACTION', wishes.fraction),
    '--budget': ('BERTH_GPU_BUDGET', wishes.amount),
    '--floor': ('BERTH_GPU_FLOOR', wishes.amount),
    '--margin': ('BERTH_GPU_MARGIN', wishes.amount),
    '--wait': ('BERTH_GPU_WAIT', wishes.seconds),
    '--give-back': ('BERTH_GPU_IDLE', wishes.seconds),
    '--device-count': ('BERTH_DEVICE_COUNT', wishes.device_count),
    '--threads': ('BERTH_THREADS', wishes.count),
    '--log-level': ('TF_CPP_MIN_LOG_LEVEL', wishes.level),
    '--tf-version': ('BERTH_TF_VERSION', wishes.version),
    '--trace': ('BERTH_TRACE_FILE', wishes.any_text),
}


def _set_value(name: str, value: str) -> None:
    """Obeys an option that has a value."""
    variable, check = _VALUES[name]
    wanted = check(value)
    if wanted:
        raise _UsageError(f"{name.rstrip('=')} needs {wanted}, not '{value}'")
    if name == '--device-count' and os.environ.get(variable):
        value = f'{os.environ[variable]},{value}'
    os.environ[variable] = value


def _unknown(name: str) -> str:
    """Says what is wrong with an option that is not known."""
    if name in _GRAPH_OPTIONS:
        return f'{name} is for graphs, not for scripts'
    if not name.startswith('--'):
        return f"there is no option '{name}'; those of Python stand before: python3 {name} -m berth run"
    near = wishes.nearest(name, sorted({option.rstrip('=') for option in (*_FLAGS, *_VALUES)}))
    return f"there is no option '{name}'" + (f'; did you mean {near}?' if near else '')


def _set_option(word: str, rest: list[str], given: set[str]) -> None:
    """Obeys one option; takes its value from |rest| unless it follows an equals sign."""
    name, equals, value = ('--verbose' if word == '-v' else word).partition('=')
    given.add(name)
    if {'--tf1', '--tf2'} <= given:
        raise _UsageError('--tf1 and --tf2: a program is one of the two')
    if name == '--log-placement' and equals:
        name, equals = '--log-placement=', ''
        rest.insert(0, value)
        os.environ['BERTH_LOG_PLACEMENT'] = '1'
    if name in _VALUES:
        if not equals and not rest:
            raise _UsageError(f'{name} needs a value')
        _set_value(name, value if equals else rest.pop(0))
    elif name not in _FLAGS:
        raise _UsageError(_unknown(name))
    elif equals:
        raise _UsageError(f'{name} takes no value')
    else:
        variable, fixed = _FLAGS[name]
        os.environ[variable] = fixed


def _parse(arguments: list[str]) -> tuple[str, list[str]]:
    """Obeys the options; returns how the program is named (-c, -m or a file) and the rest."""
    rest, given = list(arguments), set[str]()
    while rest:
        word = rest.pop(0)
        if word in ('-c', '-m'):
            if not rest:
                raise _UsageError(f"{word} needs {'code' if word == '-c' else 'a module'}")
            return _checked(word, rest, given)
        if word == '--' and rest:
            return _checked(rest[0], rest[1:], given)
        if word == '-' or word and not word.startswith('-'):
            return _checked(word, rest, given)
        _set_option(word, rest, given)
    raise _UsageError('which script is to be run?')


def _checked(name: str, rest: list[str], given: set[str]) -> tuple[str, list[str]]:
    """Returns both, if what was said of cards and in the environment can be obeyed."""
    text = wishes.environment_problem()
    if text:
        raise _UsageError(text)
    if given & {'--simulate', '--visible'}:
        _check_cards('--simulate' in given, '--visible' in given)
    return name, rest


def _check_cards(is_simulated: bool, is_chosen: bool) -> None:
    """Asks the program of C for the cards, so that this process leaves them to the script."""
    import json
    import subprocess

    program = _program()
    if program is None:
        return
    wanted = os.environ.get('CUDA_VISIBLE_DEVICES', '')
    options = ['--simulate', os.environ['BERTH_SIMULATE_GPUS']] if is_simulated else []
    environment = {name: value for name, value in os.environ.items() if name != 'CUDA_VISIBLE_DEVICES'}
    done = subprocess.run([program, 'devices', '--json', *options], env=environment, text=True, capture_output=True)
    if done.returncode != 0:
        raise _UsageError(done.stderr.partition('\n')[0].removeprefix('berth: '))
    found = json.loads(done.stdout)
    # None, and -1 as the driver reads it: no card is to be used.
    for card in wanted.split(',') if is_chosen and wanted not in ('', '-1') else ():
        if not _is_card(card.strip(), found['cards']):
            raise _UsageError(_no_card(card.strip(), found))


def _is_card(name: str, cards: list[dict[str, Any]]) -> bool:
    """True for the number of a card, or the beginning of its id."""
    if name.startswith(('GPU-', 'MIG-')):
        return any(str(card['uuid']).startswith(name) for card in cards) or name.startswith('MIG-')
    return name.isascii() and name.isdecimal() and int(name) < len(cards)


def _no_card(name: str, found: dict[str, Any]) -> str:
    cards = found['cards']
    if not cards:
        return f"--visible: there is no card '{name}': {found.get('no_card', 'there is none')}"
    numbers = '0' if len(cards) == 1 else f'0 to {len(cards) - 1}'
    return f"--visible: there is no card '{name}'; there {'is' if len(cards) == 1 else 'are'} {numbers}"


# ---- Handing over ----


def _program() -> Optional[str]:
    """Returns the path of the program of C, or None where it was not built."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'bin', 'berth')
    return path if os.path.exists(path) else None


def _run_program(words: list[str]) -> int:
    """Replaces this process by the program of C."""
    program = _program()
    if program is None:
        raise _UsageError('the program for this is not in the package; `berth run SCRIPT.py` is')
    sys.stdout.flush()
    os.execv(program, ['berth', *words])


def _is_for_program(words: list[str]) -> bool:
    """True when the arguments are not about a script: another command, help, or a graph."""
    if words[0] != 'run':
        return not words[0].endswith('.py')
    rest = words[1:]
    while rest and rest[0].startswith('-') and rest[0] != '-':
        word = rest.pop(0)
        if word in ('-c', '-m', '--'):
            return False
        if word in ('-h', '--help') or word.partition('=')[0] in _GRAPH_OPTIONS:
            return True
        if word in _VALUES and rest:
            rest.pop(0)
    name = rest[0] if rest else ''
    return name.endswith(('.pb', '.pbtxt')) or not name.endswith('.py') and any(
        word.partition('=')[0] in _GRAPH_OPTIONS for word in rest)


def _start(name: str, rest: list[str]) -> int:
    """Runs the script that the arguments name; returns the exit status."""
    from berth._start import script

    if name == '-c':
        return script.run_code(rest[0], ['-c', *rest[1:]])
    if name == '-m':
        return script.run_module(rest[0], rest[1:])
    if name == '-':
        return script.run_code(sys.stdin.read(), ['-', *rest], '<stdin>')
    return script.run_file(name, rest)


def main(arguments: Optional[list[str]] = None) -> int:
    """Does what the command line says; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ['--help']
    try:
        if _is_for_program(words):
            return _run_program(words)
        name, rest = _parse(words[1:] if words[0] == 'run' else words)
    except _UsageError as error:
        print(f"berth: {error}\nTry 'berth run --help'.", file=sys.stderr)
        return 2
    return _start(name, rest)


if __name__ == '__main__':
    sys.exit(main())

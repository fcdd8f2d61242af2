"""oom - What an exception says when a GPU has no more memory: one screen behind TensorFlow's line.

The same facts are the exception's `memory_report`, a dict. Texts about the CPU are TensorFlow's
alone.
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Optional

from berth.framework import node_lines

_REFUSED = re.compile(r'OOM when allocating tensor with shape\[([\d,]*)\] and type (\w+) on (\S+/device:GPU:\d+) by')
_ARENA = 'arena of '  # What comes before the name of its largest value.
_SIZES = {'double': 8, 'int64': 8, 'uint64': 8, 'complex64': 8, 'complex128': 16, 'half': 2, 'bfloat16': 2,
          'int16': 2, 'uint16': 2, 'int8': 1, 'uint8': 1, 'bool': 1}


def _size(count: float) -> str:
    """Returns bytes as people read them."""
    for unit in ('B', 'KiB', 'MiB', 'GiB'):
        if abs(count) < 1024:
            return f'{count:.0f} {unit}' if unit == 'B' else f'{count:.2f} {unit}'
        count /= 1024
    return f'{count:.2f} TiB'


def facts_of(message: str) -> Optional[dict[str, Any]]:
    """Returns the facts behind an error about a GPU's memory; None for any other."""
    found = _REFUSED.search(message)
    if found is None:
        return None
    from berth import _core

    shape = [int(part) for part in found.group(1).split(',') if part]
    asked = _SIZES.get(found.group(2), 4)
    for dim in shape:
        asked *= dim
    try:
        facts = json.loads(_core.memory_report(found.group(3), asked))
    except _core.Error:
        return None
    facts.update(device=found.group(3), shape=shape, dtype=found.group(2), asked=asked)
    room = min([facts['largest_free']] + ([_left(facts)] if facts['budget'] else []))
    facts['would_fit'] = shape[0] * room // asked if shape and shape[0] > 1 and asked else 0
    return facts


def _left(facts: dict[str, Any]) -> int:
    """Returns what the budget leaves for tensors, with what is idle."""
    return max(0, facts['budget'] - facts['card_pool'] - facts['outside']) + facts['idle']


def _advice(facts: dict[str, Any]) -> str:
    """Returns what to do: the library knows nothing of budgets there."""
    if facts['budget'] and facts['in_use'] + facts['asked'] <= facts['limit']:
        return ('The budget stands in the way: raise it (berth.memory.budget), use a smaller batch, or release '
                'results that are no longer needed.')
    return str(facts['advice'])


def _find_lines(facts: dict[str, Any], line_of: Callable[[str], str]) -> None:
    """Fills in the lines of the program that made the nodes among the holders."""
    nodes = [(holder, holder['op'].replace(_ARENA, '', 1)) for holder in facts['holders'] if holder['is_node']]
    for holder, name in nodes:
        holder['line'] = line_of(name)
    missing = {name for holder, name in nodes if not holder['line']}
    found = node_lines.of_nodes(missing) if missing else {}
    for holder, name in nodes:
        holder['line'] = holder['line'] or found.get(name, '')


def _who(op: str, line: str) -> str:
    return f'{op} ({line})' if line else op


def _holder(holder: dict[str, Any]) -> str:
    times = f"{holder['count']} x " if holder['count'] > 1 else ''
    return f"  {_size(holder['bytes']):>12}  {times}{_who(holder['op'] or 'unknown', holder['line'])}"


def screen(facts: dict[str, Any], op: str, line_of: Callable[[str], str] = lambda name: '') -> str:
    """Returns the lines that follow TensorFlow's own."""
    name = facts['device'].rpartition('/device:')[2]
    by = f' by {_who(op, line_of(op))}' if op else ''
    budget = f", budget {_size(facts['budget'])}" if facts['budget'] else ''
    lines = [
        f"{name}: asked {_size(facts['asked'])}{by}; limit {_size(facts['limit'])}{budget}",
        f"  in use {_size(facts['in_use'])} in {facts['live_allocations']} allocations, at most "
        f"{_size(facts['peak'])}; largest free {_size(facts['largest_free'])}, "
        f"{facts['fragmentation'] * 100:.0f} % of what is free out of one request's reach",
        f"  held of the card: {_size(facts['card_pool'])} for tensors, {_size(facts['outside'])} beside"
        + (' (estimated)' if facts['is_estimate'] else '')]
    if facts['holders']:
        lines += ['Most of it is held by', *map(_holder, facts['holders'])]
    if facts['neighbours']:
        lines.append('Others on the card')
        lines += [f"  {_size(other['bytes']):>12}  process {other['pid']} {other['program']}".rstrip()
                  for other in facts['neighbours'][:5]]
        if len(facts['neighbours']) > 5:
            lines.append(f"  and {len(facts['neighbours']) - 5} more")
    if facts['would_fit']:
        lines.append(f"A first dimension of {facts['would_fit']} instead of {facts['shape'][0]} would have fit here.")
    lines.append(_advice(facts))
    return '\n'.join(lines)


def explained(error: Any, op: str = '', line_of: Callable[[str], str] = lambda name: '') -> Any:
    """Returns |error| with the screen behind its text and the facts as its `memory_report`."""
    facts = facts_of(error.message)
    if facts is None:
        return error
    _find_lines(facts, line_of)
    made = type(error)(error.node_def, error.op, f'{error.message}\n{screen(facts, op, line_of)}')
    made.memory_report = facts
    return made

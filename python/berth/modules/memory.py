"""memory - berth.memory: budgets of cards, giving memory back, and seeing who has it.

TensorFlow has none of this. A budget is for all that the process holds of a card, the figure that
nvidia-smi shows; every function takes a GPU by its name and works while programs run.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple, Optional

from berth import _core
from berth.base import devices, lines, sizes
from berth.base.sizes import Size
from berth.framework import node_lines


class Budget(NamedTuple):
    """How much of a card the process may hold, and what it holds. Bytes; times in seconds."""

    budget: int
    floor: int
    margin: int
    wait: float
    idle: float
    pool: int
    outside: int
    peak: int
    is_estimate: bool


def size_of(size: Size, device: str) -> int:
    """Returns the bytes that |size| stands for: a number, '4GiB', '512 MB', or '50%' of the card of |device|."""
    is_part = isinstance(size, str) and size.rstrip().endswith('%')
    return sizes.parse(size, _core.cards()[_core.device_card(device)]['total_bytes'] if is_part else 0)


def _gpus(device: Optional[str]) -> list[str]:
    """Returns |device|, or every GPU of the process."""
    if device is not None:
        return [device]
    return [one['name'] for one in _core.devices() if one['type'] == 'GPU']


def stats(device: Optional[str] = None) -> dict[str, dict[str, int]]:
    """Returns the figures of the memory of |device|, or of every device: in use, peak, pool and more, in bytes."""
    names = [one['name'] for one in _core.devices()] if device is None else [device]
    return {name: _core.memory_stats(name) for name in names}


def budget(device: str = 'GPU:0', size: Optional[Size] = None, *, floor: Optional[Size] = None,
           margin: Optional[Size] = None, wait: Optional[float] = None,
           idle: Optional[float] = None) -> Budget:
    """Changes what is given of the budget of a GPU's card, and returns it with the figures.

    `size` is all that the process may hold (0: no budget), `floor` what tensors have for certain,
    `margin` what is left free on the card, `wait` how many seconds a request waits for a full card,
    `idle` after how many seconds memory that nobody uses goes back (0: it is kept).
    """
    if not (size is floor is margin is wait is idle is None):
        now = _core.memory_budget(device)
        for name, value in (('budget', size), ('floor', floor), ('margin', margin)):
            if value is not None:
                now[name] = size_of(value, device)
        for name, seconds in (('wait', wait), ('idle', idle)):
            if seconds is not None:
                now[name] = float(seconds)
        _core.set_memory_budget(device, now['budget'], now['floor'], now['margin'], now['wait'], now['idle'])
    return Budget(**_core.memory_budget(device))


def limit(device: str, size: Size) -> None:
    """Lets the tensors of one GPU hold up to |size|."""
    _core.set_memory_limit(device, size_of(size, device))


def growth(device: str, enable: bool = True) -> None:
    """Lets one GPU hold what it uses, or all of its limit."""
    _core.set_memory_growth(device, enable)


def live(enable: bool = True) -> None:
    """Lets tf.config change GPUs and their memory while they are in use, as `config.live = True` does."""
    devices.settings.live = enable


def trim(device: Optional[str] = None) -> int:
    """Gives back the memory that nobody uses, of one GPU or of all; returns how many bytes.

    What only a circle of Python objects still holds (a session that was closed) is dropped first.
    """
    devices.settings.give_up()
    return sum(_core.trim_memory(name) for name in _gpus(device))


def release(device: Optional[str] = None) -> None:
    """Gives back all that is held of a GPU's card, the driver's context included, or of all cards.

    Variables and tensors keep their values in the host's memory until the card is next used.
    """
    devices.settings.give_up()
    seen = set()
    for name in _gpus(device):
        card = _core.device_card(name)
        if card not in seen:
            _core.release_memory(name)
        seen.add(card)


def spill(enable: Optional[bool] = None) -> dict[str, Any]:
    """Lets variables wait on the host while a GPU is full, or not (None: as it is); returns what was moved so.

    A request that would be refused moves variables that nobody uses just now; they come back when they are
    next read or updated. BERTH_SPILL=1 is the same from the start.
    """
    if enable is not None:
        _core.set_spill(enable)
    return _core.spill()


def neighbours(device: Optional[str] = None) -> list[dict[str, Any]]:
    """Returns what every Berth process of this user holds of the card of |device|, or of all cards."""
    shares = _core.card_shares()
    if device is None:
        return shares
    uuid = _core.cards()[_core.device_card(device)]['uuid']
    return [share for share in shares if share['card_uuid'] == uuid]


def ask(device: str, size: Size) -> int:
    """Asks the other Berth processes on a GPU's card to give |size| back; returns what they gave."""
    return _core.ask_neighbours(_core.device_card(device), size_of(size, device))


# ---- Seeing ----


def plan(function: Any, *args: Any, batch: Optional[int] = None, **kwargs: Any) -> Any:
    """Plans what a call of a tf.function with these arguments, or TensorSpecs, takes of memory; runs nothing.

    A first dimension of None is the size of a batch, |batch|; the plan's `largest_batch()` finds the largest
    that fits.
    """
    from berth.eager import function_memory

    traced = function.get_concrete_function(*args, **kwargs)
    return function_memory.make(traced, batch, function_memory.shapes_of((args, kwargs)))


def history(events: Optional[int] = None) -> int:
    """Keeps the last |events| allocations, frees and runs from now on, 0: none; returns how many are kept.

    Eager calls note the lines of the program that make them meanwhile. `BERTH_MEMORY_HISTORY=N` has it on
    from the beginning.
    """
    if events is not None:
        _core.memory_history(events)
        lines.keep(events > 0)
    return _core.memory_history()


def snapshot(path: Optional[str] = None) -> Optional[dict[str, Any]]:
    """Returns what all devices hold, by op and line, and the history; or writes it to |path| as JSON.

    `berth report` makes a page of the file, which is there whole or not at all.
    """
    text = _core.memory_snapshot()
    names = {label.replace('arena of ', '', 1) for label in _core.memory_labels()}
    known = node_lines.of_nodes(sorted(names))
    text = '{"lines":' + json.dumps(known) + ',\n' + text[1:]
    if path is None:
        return json.loads(text)
    _write(os.fspath(path), text)
    return None


def _write(path: str, text: str) -> None:
    """Writes a file that is there whole or not at all."""
    part = f'{path}.{os.getpid()}.part'
    try:
        with open(part, 'w', encoding='utf-8') as file:
            file.write(text)
        os.replace(part, path)
    except OSError:
        if os.path.exists(part):
            os.remove(part)
        raise

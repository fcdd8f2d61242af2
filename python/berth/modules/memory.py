"""memory - berth.memory: budgets of cards, and giving memory back.

TensorFlow has none of this. A budget is for all that the process holds of a card, the figure that
nvidia-smi shows; every function takes a GPU by its name and works while programs run.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Optional, Union

from berth import _core
from berth.base import devices

_UNITS = {'': 0, 'K': 10, 'M': 20, 'G': 30, 'T': 40}
Size = Union[int, str]


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


def size_of(size: Size, device: str = '') -> int:
    """Returns the bytes that |size| stands for: a number, '4GiB', '512 MB', or '50%' of a card."""
    if not isinstance(size, str):
        return int(size)
    found = re.fullmatch(r'\s*(\d+(?:\.\d*)?)\s*([KMGT]?)(i?)(B?)\s*', size, re.IGNORECASE)
    if found:
        number, unit, binary, letter = found.groups()
        shift = _UNITS[unit.upper()]
        is_decimal = bool(unit and letter and not binary)
        return int(float(number) * (10 ** (shift * 3 // 10) if is_decimal else 1 << shift))
    part = re.fullmatch(r'\s*(\d+(?:\.\d*)?)\s*%\s*', size)
    if part and device:
        total = _core.cards()[_core.device_card(device)]['total_bytes']
        return int(total * float(part.group(1)) / 100)
    raise ValueError(f"{size!r} is no amount of memory; write 4GiB, 512MiB or 50%")


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

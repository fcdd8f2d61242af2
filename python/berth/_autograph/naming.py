"""naming - Names for what a conversion adds, that nothing else has."""

from __future__ import annotations

from typing import Any, Iterable


class Namer:
    """Makes up names."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = taken  # A namespace: what is in it is asked, not gone through.
        self.made: set[str] = set()

    def new(self, root: str, reserved: Any) -> str:
        """Returns |root|, or that with a number, such that nobody has it."""
        name, number = root, 0
        while name in self._taken or name in reserved or name in self.made:
            number += 1
            name = f'{root}_{number}'
        self.made.add(name)
        return name

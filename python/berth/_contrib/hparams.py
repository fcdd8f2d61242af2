"""hparams.py - tf.contrib.training.HParams: named numbers and texts of a model, also as they are on a command line."""

from __future__ import annotations

import json
from typing import Any


class HParams:
    """Named values, each of a type of its own."""

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        del hparam_def, model_structure
        self._kinds: dict[str, tuple[type, bool]] = {}
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a value."""
        if getattr(self, name, None) is not None:
            raise ValueError(f'Hyperparameter name is reserved: {name}')
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f'Multi-valued hyperparameters cannot be empty: {name}')
            self._kinds[name] = type(value[0]), True
        else:
            self._kinds[name] = type(value), False
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Changes a value, to one of its type."""
        kind, is_list = self._kinds[name]
        if isinstance(value, list) != is_list:
            raise ValueError(f'Must {"" if is_list else "not "}pass a list for {"multi" if is_list else "single"}-valued '
                             f'parameter: {name}')
        setattr(self, name, [_as(kind, item) for item in value] if is_list else _as(kind, value))

    def del_hparam(self, name: str) -> None:
        """Forgets a value."""
        if name in self._kinds:
            delattr(self, name)
            del self._kinds[name]

    def parse(self, values: str) -> 'HParams':
        """Changes values as a text says: "a=1,b=[2,3]"."""
        for name, text in _pairs(values):
            if name not in self._kinds:
                raise ValueError(f'Unknown hyperparameter type for {name}')
            is_list = text.startswith('[') and text.endswith(']')
            self.set_hparam(name, [part for part in text[1:-1].split(',') if part] if is_list else text)
        return self

    def override_from_dict(self, values_dict: dict[str, Any]) -> 'HParams':
        """Changes values as a dict says."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> 'HParams':
        """Changes values as JSON says."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """Returns the values as JSON."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """Returns the values by name."""
        return {name: getattr(self, name) for name in self._kinds}

    def get(self, key: str, default: Any = None) -> Any:
        """Returns a value, or the default."""
        return getattr(self, key) if key in self._kinds else default

    def __contains__(self, key: str) -> bool:
        return key in self._kinds

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def __repr__(self) -> str:
        return f'HParams({self})'


def _as(kind: type, value: Any) -> Any:
    """Returns a value of a type, read from a text where it is one."""
    if kind is type(None) or isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    if kind is bool:
        known = {'true': True, 'True': True, '1': True, 'false': False, 'False': False, '0': False}
        if str(value) in known:
            return known[str(value)]
        raise ValueError(f'Could not parse {value} as bool.')
    if kind is int and isinstance(value, float):
        raise ValueError(f'Could not cast {value} to int.')
    return kind(value)


def _pairs(text: str) -> list[tuple[str, str]]:
    """Returns the names and texts of "a=1,b=[2,3]"."""
    found, rest = [], text
    while rest:
        name, equals, rest = rest.partition('=')
        if not equals:
            raise ValueError(f'Malformed hyperparameter value: {name}')
        if rest.startswith('['):
            inner, _, rest = rest.partition(']')
            found.append((name.strip(), inner + ']'))
            rest = rest.lstrip(',')
        else:
            value, _, rest = rest.partition(',')
            found.append((name.strip(), value.strip()))
    return found

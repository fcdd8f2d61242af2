"""options - What is asked of a conversion, and whether calls are converted here."""

from __future__ import annotations

import enum
import threading
from typing import Any

from berth.base import naming


@naming.public('autograph.core.converter')
class Feature(enum.Enum):
    """What a conversion may do beside control flow."""

    ALL = 'ALL'
    AUTO_CONTROL_DEPS = 'AUTO_CONTROL_DEPS'
    ASSERT_STATEMENTS = 'ASSERT_STATEMENTS'
    BUILTIN_FUNCTIONS = 'BUILTIN_FUNCTIONS'
    EQUALITY_OPERATORS = 'EQUALITY_OPERATORS'
    LISTS = 'LISTS'
    NAME_SCOPES = 'NAME_SCOPES'

    @classmethod
    def all(cls) -> tuple['Feature', ...]:
        """Returns every feature."""
        return tuple(cls.__members__.values())

    @classmethod
    def all_but(cls, exclude: Any) -> tuple['Feature', ...]:
        """Returns every feature but some."""
        if not isinstance(exclude, (list, tuple, set)):
            exclude = (exclude,)
        return tuple(set(cls.all()) - set(exclude) - {cls.ALL})


class ConversionOptions:
    """How a function is converted; never changes."""

    __slots__ = ('_called', 'internal_convert_user_code', 'key', 'optional_features', 'recursive', 'user_requested')

    def __init__(self, recursive: bool = False, user_requested: bool = False, internal_convert_user_code: bool = True,
                 optional_features: Any = Feature.ALL) -> None:
        self.recursive = recursive
        self.user_requested = user_requested
        self.internal_convert_user_code = internal_convert_user_code
        if optional_features is None:
            optional_features = ()
        elif isinstance(optional_features, Feature):
            optional_features = (optional_features,)
        self.optional_features = frozenset(optional_features)
        self.key = recursive, user_requested, internal_convert_user_code, self.optional_features
        self._called: Any = None

    def uses(self, feature: Feature) -> bool:
        """True when a feature is asked for."""
        return feature in self.optional_features or Feature.ALL in self.optional_features

    def call_options(self) -> 'ConversionOptions':
        """Returns the options for functions that are called by one that is converted with these."""
        if self._called is None:
            self._called = ConversionOptions(self.recursive, False, self.recursive, self.optional_features)
        return self._called

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConversionOptions) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def text(self) -> str:
        """Returns the expression that makes them in converted code."""
        if self == STD:
            return 'ag__.STD'
        features = ', '.join(f'ag__.{feature}' for feature in sorted(self.optional_features, key=str))
        return (f'ag__.ConversionOptions(recursive={self.recursive}, user_requested={self.user_requested}, '
                f'optional_features=({features}), internal_convert_user_code={self.internal_convert_user_code})')


STD = ConversionOptions(True, False, True, None)


# ---- Whether calls are converted ----


class Status(enum.Enum):
    """Whether the calls of a thread are converted, where a program says something about it."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class _State(threading.local):
    """What is in force in a thread."""

    def __init__(self) -> None:
        self.stack = [Status.UNSPECIFIED]


state = _State()


class StatusScope:
    """Says for the calls inside whether they are converted."""

    __slots__ = ('_status',)

    def __init__(self, status: Status) -> None:
        self._status = status

    def __enter__(self) -> 'StatusScope':
        state.stack.append(self._status)
        return self

    def __exit__(self, *unused: Any) -> None:
        state.stack.pop()


def status() -> Status:
    """Returns what is in force."""
    return state.stack[-1]

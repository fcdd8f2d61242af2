"""flags - tf.app.flags: options of a program's command line."""

from __future__ import annotations

import sys
from typing import Any, Callable


class Error(Exception):
    """A flag that is unknown, or has a value it cannot have."""


class IllegalFlagValueError(Error):
    """A value that cannot be read."""


class UnrecognizedFlagError(Error):
    """A flag that nobody has defined."""


class DuplicateFlagError(Error):
    """A flag that is defined twice."""


class ValidationError(Error):
    """A value that a validator refuses."""


class Flag:
    """One option: how its value is read, and what the value is."""

    def __init__(self, name: str, default: Any, text: str, read: Callable[[str], Any],
                 is_bool: bool = False, is_many: bool = False) -> None:
        self.name, self.help = name, text
        self.is_bool, self.is_many, self.is_set = is_bool, is_many, False
        self.validators: list[tuple[Callable[[Any], bool], str]] = []
        self._read = read
        self.default = self.value = self._first(default)

    def _first(self, default: Any) -> Any:
        """Returns a default, read if it is text."""
        if self.is_many and default is not None:
            values = default if isinstance(default, (list, tuple)) else [default]
            return [self._parsed(v) if isinstance(v, str) else v for v in values]
        return self._parsed(default) if isinstance(default, str) else default

    def _parsed(self, text: str) -> Any:
        try:
            return self._read(text)
        except ValueError as error:
            raise IllegalFlagValueError(f'flag --{self.name}={text}: {error}') from None

    def parse(self, text: str) -> None:
        """Takes |text| as the value, or as one more of them."""
        value = self._parsed(text)
        if self.is_many:
            self.value = (self.value if self.is_set else []) + [value]
        else:
            self.value = value
        self.is_set = True

    @property
    def present(self) -> int:
        """How often the command line has it, at most 1."""
        return int(self.is_set)

    @property
    def using_default_value(self) -> bool:
        """True when the command line does not have it."""
        return not self.is_set

    def check(self) -> None:
        """Raises IllegalFlagValueError when a validator refuses the value."""
        for checker, message in self.validators:
            _apply(checker, self.value, message, f'flag --{self.name}={self.value}')


def _apply(checker: Callable[[Any], bool], value: Any, message: str, about: str) -> None:
    """Raises IllegalFlagValueError when |checker| refuses |value|, with its own words if it has any."""
    try:
        fits = checker(value)
    except ValidationError as error:
        raise IllegalFlagValueError(f'{about}: {error}') from None
    if not fits:
        raise IllegalFlagValueError(f'{about}: {message}')


class FlagHolder:
    """What defining a flag returns: its name, and its value once the flags are read."""

    def __init__(self, flag_values: 'FlagValues', flag: Flag, ensure_non_none_value: bool = False) -> None:
        self._values, self._flag = flag_values, flag
        self._ensure_value = ensure_non_none_value

    @property
    def name(self) -> str:
        """The name of the flag."""
        return self._flag.name

    @property
    def value(self) -> Any:
        """What the flag is; the command line is read at the first look."""
        return getattr(self._values, self._flag.name)

    @property
    def default(self) -> Any:
        """What the flag is unless the command line says otherwise."""
        return self._flag.default

    @property
    def present(self) -> bool:
        """True when the command line has the flag."""
        return self._flag.is_set


class FlagValues:
    """The flags of a program, as attributes; the command line is read at the first look."""

    def __init__(self) -> None:
        self.__dict__['_flags'] = {}
        self.__dict__['_checks'] = []  # (names, checker, message) of what several flags must be together.
        self.__dict__['_is_parsed'] = False
        self.__dict__['__flags'] = self._flags  # Programs print it.

    def __getattr__(self, name: str) -> Any:
        if name not in self._flags:
            raise AttributeError(name)
        if not self._is_parsed:
            self(sys.argv, known_only=True)
        return self._flags[name].value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._flags:
            raise UnrecognizedFlagError(_unknown(name, self._flags))
        self._flags[name].value = value
        self._flags[name].check()

    def __getitem__(self, name: str) -> Flag:
        return self._flags[name]

    def __contains__(self, name: str) -> bool:
        return name in self._flags

    def __iter__(self) -> Any:
        return iter(self._flags)

    def __dir__(self) -> list[str]:
        return sorted(self._flags)

    def _define(self, flag: Flag, is_required: bool = False) -> FlagHolder:
        if flag.name in self._flags:
            first = self._flags[flag.name]
            raise DuplicateFlagError(f"The flag '{flag.name}' is defined twice. First from {sys.argv[0]}, second from "
                                     f'{sys.argv[0]}. Description from first occurrence: {first.help}')
        self._flags[flag.name] = flag
        if is_required:
            mark_flag_as_required(flag.name, self)
        return FlagHolder(self, flag, is_required)

    def is_parsed(self) -> bool:
        """True when the command line was read."""
        return self._is_parsed

    def mark_as_parsed(self) -> None:
        """Leaves all flags at their values."""
        self.__dict__['_is_parsed'] = True

    def flag_values_dict(self) -> dict[str, Any]:
        """Returns all values by name."""
        return {name: flag.value for name, flag in self._flags.items()}

    def _parse_flags(self, args: list[str] | None = None) -> list[str]:
        """Reads the command line, as programs asked for it before TensorFlow 1.5."""
        return self([sys.argv[0], *(sys.argv[1:] if args is None else args)], known_only=True)[1:]

    def __call__(self, *args: Any, **kwargs: Any) -> list[str]:
        """Reads a command line and returns what is no flag, the program's name first."""
        return self._parse(*args, **kwargs)

    def _parse(self, argv: list[str], known_only: bool = False) -> list[str]:
        self.__dict__['_is_parsed'] = True
        left = self._read_words(argv, known_only)
        for flag in self._flags.values():
            flag.check()
        for names, checker, message in self._checks:
            values = {name: self._flags[name].value for name in names}
            _apply(checker, values, message, 'flags ' + ', '.join(f'{n}={v}' for n, v in values.items()))
        return left

    def set_default(self, name: str, value: Any) -> None:
        """Changes what a flag is unless the command line says otherwise."""
        flag = self._flags.get(name)
        if flag is None:
            raise UnrecognizedFlagError(_unknown(name, self._flags))
        flag.default = flag._first(value)
        if not flag.is_set:
            flag.value = flag.default

    def _read_words(self, argv: list[str], known_only: bool) -> list[str]:
        left, rest = list(argv[:1]), list(argv[1:])
        while rest:
            word = rest.pop(0)
            if word == '--':
                return left + rest
            if not word.startswith('-') or word == '-':
                left.append(word)
            elif not self._parse_word(word.lstrip('-'), rest):
                if not known_only:
                    name = word.lstrip('-').partition('=')[0]
                    raise UnrecognizedFlagError(_unknown(name, self._flags))
                left.append(word)
        return left

    def _parse_word(self, word: str, rest: list[str]) -> bool:
        """Reads one flag, taking its value from |rest| if it needs one; False: unknown."""
        name, equals, value = word.partition('=')
        flag = self._flags.get(name) or self._flags.get(name.replace('-', '_'))
        if flag is None:
            flag = self._flags.get(name[2:]) if name.startswith('no') else None
            if flag is None or not flag.is_bool or equals:
                return False
            flag.parse('false')
        elif equals:
            flag.parse(value)
        elif flag.is_bool:
            flag.parse('true')
        elif not rest:
            raise Error(f'Missing value for flag --{name}')
        else:
            flag.parse(rest.pop(0))
        return True

    def get_help(self) -> str:
        """Returns a line about each flag."""
        return '\n'.join(f'  --{"[no]" if f.is_bool else ""}{f.name}: {f.help}\n'
                         f'    (default: {f.default!r})' for f in self._flags.values())


def _unknown(name: str, flags: Any) -> str:
    """Says that there is no such flag, and which ones are spelled nearly so."""
    from berth.modules import flags_more

    near = flags_more.suggestions(name, sorted(flags))
    return f"Unknown command line flag '{name}'" + (f". Did you mean: {', '.join(near)} ?" if near else '')


FLAGS = FlagValues()


def register_validator(flag_name: Any, checker: Callable[[Any], bool], message: str = 'Flag validation failed',
                       flag_values: FlagValues = FLAGS) -> None:
    """Makes |checker| decide which values a flag may have."""
    name = flag_name.name if isinstance(flag_name, FlagHolder) else flag_name
    flag_values[name].validators.append((checker, message))


def validator(flag_name: Any, message: str = 'Flag validation failed', flag_values: FlagValues = FLAGS) -> Any:
    """Makes the function that follows decide which values a flag may have."""
    def register(checker: Callable[[Any], bool]) -> Callable[[Any], bool]:
        register_validator(flag_name, checker, message, flag_values)
        return checker
    return register


def mark_flag_as_required(flag_name: Any, flag_values: FlagValues = FLAGS) -> None:
    """Makes reading the command line fail without a flag."""
    name = flag_name.name if isinstance(flag_name, FlagHolder) else flag_name
    register_validator(name, lambda value: value is not None, f'Flag --{name} must have a value other than None.',
                       flag_values)


def mark_flags_as_required(flag_names: Any, flag_values: FlagValues = FLAGS) -> None:
    """Makes reading the command line fail without some flags."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


_OWN = ('DuplicateFlagError', 'Error', 'FLAGS', 'Flag', 'FlagHolder', 'FlagValues', 'IllegalFlagValueError',
        'UnrecognizedFlagError', 'ValidationError', 'mark_flag_as_required', 'mark_flags_as_required',
        'register_validator', 'validator')


def __getattr__(name: str) -> Any:
    """Finds what defines flags, and what is seldom used, in modules of their own."""
    if not name.startswith('_'):
        from berth.modules import flags_define, flags_more

        for module in (flags_define, flags_more):
            if name in module.__dir__():
                return getattr(module, name)
    raise AttributeError(f"module 'tensorflow.app.flags' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Lists what there is of absl's flags."""
    from berth.modules import flags_define, flags_more

    return sorted([*_OWN, *flags_define.__dir__(), *flags_more.__dir__()])

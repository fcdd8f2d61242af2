"""tf_flags - tf.app.flags: options of a program's command line."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional


class Error(Exception):
    """A flag that is unknown, or has a value it cannot have."""


class IllegalFlagValueError(Error):
    """A value that cannot be read."""


class UnrecognizedFlagError(Error):
    """A flag that nobody has defined."""


class _Flag:
    """One option: how its value is read, and what the value is."""

    def __init__(self, name: str, default: Any, text: str, read: Callable[[str], Any],
                 is_bool: bool = False, is_many: bool = False) -> None:
        self.name, self.default, self.help = name, default, text
        self.value = default
        self.is_bool, self.is_many, self.is_set = is_bool, is_many, False
        self._read = read

    def parse(self, text: str) -> None:
        """Takes |text| as the value, or as one more of them."""
        try:
            value = self._read(text)
        except ValueError as error:
            raise IllegalFlagValueError(f'flag --{self.name}={text}: {error}') from None
        if self.is_many:
            self.value = (self.value if self.is_set else []) + [value]
        else:
            self.value = value
        self.is_set = True


class FlagValues:
    """The flags of a program, as attributes; the command line is read at the first look."""

    def __init__(self) -> None:
        self.__dict__['_flags'] = {}
        self.__dict__['_is_parsed'] = False

    def __getattr__(self, name: str) -> Any:
        if name not in self._flags:
            raise AttributeError(name)
        if not self._is_parsed:
            self(sys.argv, known_only=True)
        return self._flags[name].value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._flags:
            raise AttributeError(name)
        self._flags[name].value = value

    def __getitem__(self, name: str) -> _Flag:
        return self._flags[name]

    def __contains__(self, name: str) -> bool:
        return name in self._flags

    def __iter__(self) -> Any:
        return iter(self._flags)

    def __dir__(self) -> list[str]:
        return sorted(self._flags)

    def _define(self, flag: _Flag) -> None:
        self._flags[flag.name] = flag

    def is_parsed(self) -> bool:
        """True when the command line was read."""
        return self._is_parsed

    def mark_as_parsed(self) -> None:
        """Leaves all flags at their values."""
        self.__dict__['_is_parsed'] = True

    def flag_values_dict(self) -> dict[str, Any]:
        """Returns all values by name."""
        return {name: flag.value for name, flag in self._flags.items()}

    def __call__(self, argv: list[str], known_only: bool = False) -> list[str]:
        """Reads |argv| and returns what is no flag, the program's name first."""
        self.__dict__['_is_parsed'] = True
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
                    raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
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


FLAGS = FlagValues()


def _read_bool(text: str) -> bool:
    words = {'true': True, 't': True, '1': True, 'yes': True,
             'false': False, 'f': False, '0': False, 'no': False}
    if text.lower() not in words:
        raise ValueError('Non-boolean argument to boolean flag', text)
    return words[text.lower()]


def _read_list(text: str) -> list[str]:
    return [word.strip() for word in text.split(',')] if text else []


def _in_range(read: Callable[[str], Any], lower: Any, upper: Any) -> Callable[[str], Any]:
    """Makes a reader that refuses numbers outside of a range."""
    def check(text: str) -> Any:
        value = read(text)
        if (lower is not None and value < lower) or (upper is not None and value > upper):
            raise ValueError(f'{text} is not in the range [{lower}, {upper}]')
        return value
    return check


def DEFINE_string(name: str, default: Optional[str], help: str,
                  flag_values: FlagValues = FLAGS, **args: Any) -> None:
    """Defines a flag that is text."""
    flag_values._define(_Flag(name, default, help, str))


def DEFINE_integer(name: str, default: Optional[int], help: str,
                   lower_bound: Optional[int] = None, upper_bound: Optional[int] = None,
                   flag_values: FlagValues = FLAGS, **args: Any) -> None:
    """Defines a flag that is a whole number."""
    read = _in_range(lambda text: int(text, 0), lower_bound, upper_bound)
    flag_values._define(_Flag(name, default, help, read))


def DEFINE_float(name: str, default: Optional[float], help: str,
                 lower_bound: Optional[float] = None, upper_bound: Optional[float] = None,
                 flag_values: FlagValues = FLAGS, **args: Any) -> None:
    """Defines a flag that is a number."""
    flag_values._define(_Flag(name, default, help, _in_range(float, lower_bound, upper_bound)))


def DEFINE_boolean(name: str, default: Optional[bool], help: str,
                   flag_values: FlagValues = FLAGS, **args: Any) -> None:
    """Defines a flag that is there or not: --name, --noname."""
    flag_values._define(_Flag(name, default, help, _read_bool, is_bool=True))


DEFINE_bool = DEFINE_boolean


def DEFINE_list(name: str, default: Any, help: str, flag_values: FlagValues = FLAGS,
                **args: Any) -> None:
    """Defines a flag that is words between commas."""
    default = _read_list(default) if isinstance(default, str) else default
    flag_values._define(_Flag(name, default, help, _read_list))


def DEFINE_enum(name: str, default: Optional[str], enum_values: list[str], help: str,
                flag_values: FlagValues = FLAGS, **args: Any) -> None:
    """Defines a flag that is one of some words."""
    def read(text: str) -> str:
        if text not in enum_values:
            raise ValueError(f'value should be one of <{"|".join(enum_values)}>')
        return text
    flag_values._define(_Flag(name, default, help, read))


def DEFINE_multi_string(name: str, default: Any, help: str, flag_values: FlagValues = FLAGS,
                        **args: Any) -> None:
    """Defines a flag that may come several times."""
    default = [default] if isinstance(default, str) else default
    flag_values._define(_Flag(name, default, help, str, is_many=True))

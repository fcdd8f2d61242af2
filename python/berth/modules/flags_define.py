"""flags_define - DEFINE_string and its kin: what a program's flags are."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional

from berth.modules.flags import FLAGS, Flag, FlagHolder, FlagValues

# What TensorFlow called the parameters before its flags were those of absl.
_OLD_NAMES = {'flag_name': 'name', 'default_value': 'default', 'docstring': 'help'}


def _read_bool(text: str) -> bool:
    words = {'true': True, 't': True, '1': True, 'yes': True,
             'false': False, 'f': False, '0': False, 'no': False}
    if text.lower() not in words:
        raise ValueError('Non-boolean argument to boolean flag', text)
    return words[text.lower()]


def _read_list(text: str) -> list[str]:
    return [word.strip() for word in text.split(',')] if text else []


def _in_range(read: Callable[[str], Any], lower: Any, upper: Any, kind: str) -> Callable[[str], Any]:
    """Makes a reader that refuses numbers outside of a range."""
    def check(text: str) -> Any:
        value = read(text)
        if (lower is not None and value < lower) or (upper is not None and value > upper):
            raise ValueError(f'{value} is not {_range_text(lower, upper, kind)}')
        return value
    return check


def _range_text(lower: Any, upper: Any, kind: str) -> str:
    """Returns "a non-negative integer" and the like."""
    article = 'an' if kind == 'integer' else 'a'
    if lower is not None and upper is not None:
        return f'{article} {kind} in the range [{lower}, {upper}]'
    words = {('lower', 1): 'a positive', ('lower', 0): 'a non-negative',
             ('upper', -1): 'a negative', ('upper', 0): 'a non-positive'}
    side, bound = ('lower', lower) if lower is not None else ('upper', upper)
    if kind == 'integer' and (side, bound) in words:
        return f'{words[side, bound]} {kind}'
    if kind == 'number' and bound == 0:
        return f'{words[side, 0]} {kind}'
    return f'{article} {kind} {">=" if side == "lower" else "<="} {bound}'


def _one_of(words: list[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f'value should be one of <{"|".join(words)}>')
        return text
    return read


def _integer(text: str) -> int:
    return int(text, 0) if text.lower().lstrip('-').startswith(('0x', '0o', '0b')) else int(text)


def _defines(function: Callable[..., FlagHolder]) -> Callable[..., FlagHolder]:
    """Makes a function that knows the older names of its parameters, too."""
    @functools.wraps(function)
    def define(*args: Any, **kwargs: Any) -> FlagHolder:
        return function(*args, **{_OLD_NAMES.get(key, key): value for key, value in kwargs.items()})
    return define


@_defines
def DEFINE_string(name: str, default: Optional[str], help: Optional[str], flag_values: FlagValues = FLAGS,
                  required: bool = False, **args: Any) -> FlagHolder:
    """Defines a flag that is text."""
    return flag_values._define(Flag(name, default, help or '', str), required)


@_defines
def DEFINE_integer(name: str, default: Any, help: Optional[str], lower_bound: Any = None,
                   upper_bound: Any = None, flag_values: FlagValues = FLAGS, required: bool = False,
                   **args: Any) -> FlagHolder:
    """Defines a flag that is an integer."""
    read = _in_range(_integer, lower_bound, upper_bound, 'integer')
    return flag_values._define(Flag(name, default, help or '', read), required)


@_defines
def DEFINE_multi_integer(name: str, default: Any, help: Optional[str], lower_bound: Any = None,
                         upper_bound: Any = None, flag_values: FlagValues = FLAGS, required: bool = False,
                         **args: Any) -> FlagHolder:
    """Defines a flag that is an integer, or several."""
    read = _in_range(_integer, lower_bound, upper_bound, 'integer')
    return flag_values._define(Flag(name, default, help or '', read, is_many=True), required)


@_defines
def DEFINE_float(name: str, default: Any, help: Optional[str], lower_bound: Any = None,
                 upper_bound: Any = None, flag_values: FlagValues = FLAGS, required: bool = False,
                 **args: Any) -> FlagHolder:
    """Defines a flag that is a number."""
    read = _in_range(float, lower_bound, upper_bound, 'number')
    return flag_values._define(Flag(name, default, help or '', read), required)


@_defines
def DEFINE_multi_float(name: str, default: Any, help: Optional[str], lower_bound: Any = None,
                       upper_bound: Any = None, flag_values: FlagValues = FLAGS, required: bool = False,
                       **args: Any) -> FlagHolder:
    """Defines a flag that is a number, or several."""
    read = _in_range(float, lower_bound, upper_bound, 'number')
    return flag_values._define(Flag(name, default, help or '', read, is_many=True), required)


@_defines
def DEFINE_boolean(name: str, default: Any, help: Optional[str], flag_values: FlagValues = FLAGS,
                   module_name: Optional[str] = None, required: bool = False, **args: Any) -> FlagHolder:
    """Defines a flag that is there or not: --name, --noname."""
    default = bool(default) if isinstance(default, int) else default
    return flag_values._define(Flag(name, default, help or '', _read_bool, is_bool=True), required)


DEFINE_bool = DEFINE_boolean


@_defines
def DEFINE_list(name: str, default: Any, help: str, flag_values: FlagValues = FLAGS, required: bool = False,
                **args: Any) -> FlagHolder:
    """Defines a flag that is words between commas."""
    return flag_values._define(Flag(name, default, help, _read_list), required)


@_defines
def DEFINE_spaceseplist(name: str, default: Any, help: str, comma_compat: bool = False,
                        flag_values: FlagValues = FLAGS, required: bool = False, **args: Any) -> FlagHolder:
    """Defines a flag that is words between spaces, or commas where they may be."""
    def read(text: str) -> list[str]:
        return (text.replace(',', ' ') if comma_compat else text).split()
    return flag_values._define(Flag(name, default, help, read), required)


@_defines
def DEFINE_enum(name: str, default: Optional[str], enum_values: list[str], help: Optional[str],
                flag_values: FlagValues = FLAGS, module_name: Optional[str] = None, required: bool = False,
                **args: Any) -> FlagHolder:
    """Defines a flag that is one of some words."""
    return flag_values._define(Flag(name, default, help or '', _one_of(enum_values)), required)


@_defines
def DEFINE_multi_enum(name: str, default: Any, enum_values: list[str], help: str,
                      flag_values: FlagValues = FLAGS, case_sensitive: bool = True, required: bool = False,
                      **args: Any) -> FlagHolder:
    """Defines a flag that is some of some words."""
    return flag_values._define(Flag(name, default, help, _one_of(enum_values), is_many=True), required)


@_defines
def DEFINE_multi_string(name: str, default: Any, help: str, flag_values: FlagValues = FLAGS,
                        required: bool = False, **args: Any) -> FlagHolder:
    """Defines a flag that may come several times."""
    return flag_values._define(Flag(name, default, help, str, is_many=True), required)


def _member_of(kind: Any, case_sensitive: bool) -> Callable[[str], Any]:
    """Makes a reader of the members of an enumeration."""
    names = {name if case_sensitive else name.lower(): member for name, member in kind.__members__.items()}

    def read(text: str) -> Any:
        key = text if case_sensitive else text.lower()
        if key not in names:
            raise ValueError(f'value should be one of <{"|".join(names)}>')
        return names[key]
    return read


@_defines
def DEFINE_enum_class(name: str, default: Any, enum_class: Any, help: Optional[str],
                      flag_values: FlagValues = FLAGS, module_name: Optional[str] = None,
                      case_sensitive: bool = False, required: bool = False, **args: Any) -> FlagHolder:
    """Defines a flag that is a member of an enumeration."""
    return flag_values._define(Flag(name, default, help or '', _member_of(enum_class, case_sensitive)), required)


@_defines
def DEFINE_multi_enum_class(name: str, default: Any, enum_class: Any, help: Optional[str],
                            flag_values: FlagValues = FLAGS, module_name: Optional[str] = None,
                            case_sensitive: bool = False, required: bool = False, **args: Any) -> FlagHolder:
    """Defines a flag that is some members of an enumeration."""
    read = _member_of(enum_class, case_sensitive)
    return flag_values._define(Flag(name, default, help or '', read, is_many=True), required)


class _Alias(Flag):
    """Another name of a flag."""

    def __init__(self, name: str, target: Flag) -> None:
        self._target = target
        super().__init__(name, None, f'Alias for --{target.name}.', target._read, target.is_bool, target.is_many)

    @property
    def value(self) -> Any:  # type: ignore[override]
        """What the flag is that it stands for."""
        return self._target.value

    @value.setter
    def value(self, value: Any) -> None:
        if value is not None:
            self._target.value = value

    def parse(self, text: str) -> None:
        """Gives |text| to the flag that it stands for."""
        self._target.parse(text)
        self.is_set = True


def DEFINE_alias(name: str, original_name: str, flag_values: FlagValues = FLAGS,
                 module_name: Optional[str] = None) -> FlagHolder:
    """Defines another name of a flag."""
    return flag_values._define(_Alias(name, flag_values[original_name]))


def __dir__() -> list[str]:
    """Lists what defines flags."""
    return [name for name in globals() if name.startswith('DEFINE_')]

"""flags_more - What of absl's flags is seldom used: conditions on several flags, defaults, texts."""

from __future__ import annotations

from typing import Any, Callable, Optional

from berth.modules.flags import Error, FLAGS, FlagHolder, FlagValues

_SUGGESTED = 0.5  # The part of a name that may be wrong for another to be suggested.


class UnparsedFlagAccessError(Error):
    """A flag that is looked at before the command line is read."""


class CantOpenFlagFileError(Error):
    """A file of flags that cannot be read."""


class FlagNameConflictsWithMethodError(Error):
    """A flag that is called as a method of FLAGS."""


def _name_of(flag: Any) -> str:
    return flag.name if isinstance(flag, FlagHolder) else flag


def register_multi_flags_validator(flag_names: Any, multi_flags_checker: Callable[[dict[str, Any]], bool],
                                   message: str = 'Flags validation failed',
                                   flag_values: FlagValues = FLAGS) -> None:
    """Makes a function decide which values some flags may have together."""
    flag_values._checks.append(([_name_of(flag) for flag in flag_names], multi_flags_checker, message))


def multi_flags_validator(flag_names: Any, message: str = 'Flag validation failed',
                          flag_values: FlagValues = FLAGS) -> Any:
    """Makes the function that follows decide which values some flags may have together."""
    def register(checker: Callable[[dict[str, Any]], bool]) -> Callable[[dict[str, Any]], bool]:
        register_multi_flags_validator(flag_names, checker, message, flag_values)
        return checker

    return register


def mark_flags_as_mutual_exclusive(flag_names: Any, required: bool = False, flag_values: FlagValues = FLAGS) -> None:
    """Makes reading the command line fail when it has several of some flags."""
    _allow_one(flag_names, required, flag_values, lambda value: value is not None, 'a value other than None')


def mark_bool_flags_as_mutual_exclusive(flag_names: Any, required: bool = False,
                                        flag_values: FlagValues = FLAGS) -> None:
    """Makes reading the command line fail when several of some flags are true."""
    _allow_one(flag_names, required, flag_values, bool, 'True')


def _allow_one(flag_names: Any, required: bool, flag_values: FlagValues, is_given: Callable[[Any], bool],
               words: str) -> None:
    names = [_name_of(flag) for flag in flag_names]

    def check(values: dict[str, Any]) -> bool:
        count = sum(1 for value in values.values() if is_given(value))
        return count == 1 or not required and count == 0

    verb = 'have' if words != 'True' else 'be'
    message = f'{"Exactly" if required else "At most"} one of ({", ".join(names)}) must {verb} {words}.'
    register_multi_flags_validator(names, check, message, flag_values)


def set_default(flag_holder: FlagHolder, value: Any) -> None:
    """Changes what a flag is unless the command line says otherwise."""
    flag_holder._values.set_default(flag_holder.name, value)


def override_value(flag_holder: FlagHolder, value: Any) -> None:
    """Changes a flag, whatever the command line says."""
    setattr(flag_holder._values, flag_holder.name, value)


def declare_key_flag(flag_name: Any, flag_values: FlagValues = FLAGS) -> None:
    """Notes that a flag matters to the caller; KeyError when there is none."""
    flag_values[_name_of(flag_name)]


def adopt_module_key_flags(module: Any, flag_values: FlagValues = FLAGS) -> None:
    """Takes the flags of another module, which all are in one place already."""


def disclaim_key_flags() -> None:
    """Leaves the flags that follow to the caller's caller: no list of them is kept by module."""


def flag_dict_to_args(flag_map: dict[str, Any], multi_flags: Optional[set[str]] = None) -> Any:
    """Yields the words of a command line that give flags these values."""
    for key, value in flag_map.items():
        if value is None:
            yield f'--{key}'
        elif isinstance(value, bool):
            yield f'--{key}' if value else f'--no{key}'
        elif isinstance(value, (str, bytes)) or not hasattr(value, '__iter__'):
            yield f'--{key}={value}'
        elif multi_flags and key in multi_flags:
            yield from (f'--{key}={item}' for item in value)
        else:
            yield f'--{key}={",".join(str(item) for item in value)}'


def get_help_width() -> int:
    """Returns how many columns a text of help may have."""
    import shutil

    return shutil.get_terminal_size((80, 24)).columns


def text_wrap(text: str, length: Optional[int] = None, indent: str = '', firstline_indent: Optional[str] = None) -> str:
    """Returns |text| in lines of at most |length| columns."""
    import textwrap

    first = indent if firstline_indent is None else firstline_indent
    lines: list[str] = []
    for paragraph in text.strip().splitlines():
        lines += textwrap.wrap(paragraph, length or get_help_width(), initial_indent=indent if lines else first,
                               subsequent_indent=indent) or ['']
    return '\n'.join(lines)


def doc_to_help(doc: str) -> str:
    """Returns a docstring as a text of help: paragraphs in one line each."""
    import re

    doc = re.sub(r'(?m)^[ \t]+', '', doc.strip())
    return re.sub(r'(?<=\S)\n(?=\S)', ' ', doc)


def suggestions(name: str, options: list[str]) -> list[str]:
    """Returns the options that are spelled most like |name|, none when all are far from it."""
    if len(name) <= 2 or not options:
        return []
    distances = [(_distance(name, option[:len(name)]), option) for option in options]
    least = min(distances)[0]
    return [] if least >= _SUGGESTED * len(name) else [option for d, option in distances if d == least]


def _distance(a: str, b: str) -> int:
    """Returns how many letters have to be changed, added or left out to make |b| of |a|."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def __dir__() -> list[str]:
    """Lists what programs may use of this."""
    own = ('Any', 'Callable', 'Error', 'FLAGS', 'FlagHolder', 'FlagValues', 'Optional', 'annotations', 'suggestions')
    return [name for name in globals() if not name.startswith('_') and name not in own]

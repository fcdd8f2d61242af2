"""texts - A TestCase with the assertions of absl: about containers, texts, commands and files."""

from __future__ import annotations

import collections.abc
import contextlib
import difflib
import itertools
import os
import re
import unittest
from collections.abc import Iterator
from typing import Any, Callable, Optional


class TextTestCase(unittest.TestCase):
    """A test with assertions about containers, texts, structures, commands and files."""

    maxDiff = None
    tempfile_cleanup = 'always'

    def _fail(self, text: str, msg: Any = None) -> None:
        self.fail(self._formatMessage(msg, text))

    # ---- Sizes and members ----

    def _length(self, container: Any, msg: Any) -> int:
        if not isinstance(container, collections.abc.Sized):
            self._fail(f'Expected a Sized object, got: {type(container).__name__!r}', msg)
        return len(container)

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        """Fails unless nothing is in |container|."""
        if self._length(container, msg):
            self._fail(f'{container!r} has length of {len(container)}.', msg)

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        """Fails when nothing is in |container|."""
        if not self._length(container, msg):
            self._fail(f'{container!r} has length of 0.', msg)

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        """Fails unless that many are in |container|."""
        if self._length(container, msg) != expected_len:
            short = repr(container)
            self._fail(f'{short} has length of {len(container)}, expected {expected_len}.', msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        """Fails unless |value| is in a range, ends included."""
        text = self._formatMessage(msg, f'"{value}" unexpectedly not between "{minv}" and "{maxv}"')
        self.assertLessEqual(minv, value, text)
        self.assertGreaterEqual(maxv, value, text)

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Fails unless both have the same items, as often, in any order."""
        self.assertCountEqual(first, second, msg)

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: Any = None) -> None:
        """Fails unless both have the same items, however often."""
        expected, actual = list(expected_seq), list(actual_seq)
        missing = [item for item in _unique(expected) if item not in actual]
        present = [item for item in _unique(actual) if item not in expected]
        if not missing and not present:
            return
        lines = [f'{msg}:\n'] if msg else []
        for title, items in (('Expected, but missing:', missing), ('Unexpected, but present:', present)):
            lines += [f'{title}\n  {items!r}\n'] if items else []
        self.fail(''.join(lines))

    def assertContainsSubset(self, expected_subset: Any, actual_set: Any, msg: Any = None) -> None:
        """Fails unless all of the first are in the second."""
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self._fail(f'Missing elements {missing}\nExpected: {expected_subset}\nActual: {actual_set}', msg)

    def assertNoCommonElements(self, expected_seq: Any, actual_seq: Any, msg: Any = None) -> None:
        """Fails when something is in both."""
        common = set(expected_seq) & set(actual_seq)
        if common:
            self._fail(f'Common elements {common}\nExpected: {expected_seq}\nActual: {actual_seq}', msg)

    # ---- Orders ----

    def assertContainsInOrder(self, strings: Any, target: str, msg: Any = None) -> None:
        """Fails unless |target| has the texts one after the other."""
        if isinstance(strings, (bytes, str)):
            strings = (strings,)
        place, last = 0, None
        for text in strings:
            found = target.find(text, place)
            if found == -1:
                after = f' after {last!r}' if last is not None else ''
                self._fail(f'Did not find {text!r}{after} in {target!r}', msg)
            last, place = text, found + len(text)

    def assertContainsSubsequence(self, container: Any, subsequence: Any, msg: Any = None) -> None:
        """Fails unless all of |subsequence| come in that order."""
        rest = iter(container)
        for item in subsequence:
            if not any(other == item for other in rest):
                self._fail(f'{subsequence} not a subsequence of {container}. First non-matching element: {item}', msg)

    def assertContainsExactSubsequence(self, container: Any, subsequence: Any, msg: Any = None) -> None:
        """Fails unless all of |subsequence| come in a row."""
        container, subsequence = list(container), list(subsequence)
        longest = 0
        for start in range(1 + len(container) - len(subsequence)):
            pairs = zip(container[start:start + len(subsequence)], subsequence)
            same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
            if same == len(subsequence):
                return
            longest = max(longest, same)
        self._fail(f'{subsequence} not an exact subsequence of {container}. Longest matching prefix: '
                   f'{subsequence[:longest]}', msg)

    def assertTotallyOrdered(self, *groups: Any, **kwargs: Any) -> None:
        """Fails unless every item is less than those of later groups, and equal to those of its own."""
        msg = kwargs.pop('msg', None)
        for number, group in enumerate(groups):
            for first in group:
                for second in group:
                    self.assertEqual(first, second, msg)
                for second in itertools.chain(*groups[number + 1:]):
                    self.assertLess(first, second, msg)
                    self.assertGreater(second, first, msg)

    def assertSequenceStartsWith(self, prefix: Any, whole: Any, msg: Any = None) -> None:
        """Fails unless |whole| begins with |prefix|."""
        first = list(prefix) if isinstance(prefix, collections.abc.Sequence) else [prefix]
        if not first:
            self._fail(f'Prefix length is 0 but whole length is {len(whole)}: {whole}', msg)
        if first != list(whole[:len(first)]):
            self._fail(f'prefix: {first} not found at start of whole: {whole}.', msg)

    # ---- Nearly equal ----

    def assertSequenceAlmostEqual(self, expected_seq: Any, actual_seq: Any, places: Any = None, msg: Any = None,
                                  delta: Any = None) -> None:
        """Fails unless the items of both are nearly equal."""
        if len(expected_seq) != len(actual_seq):
            self._fail(f'Sequence size mismatch: {len(expected_seq)} vs {len(actual_seq)}', msg)
        problems = []
        for index, (first, second) in enumerate(zip(expected_seq, actual_seq)):
            problem = self._far(first, second, places, delta)
            problems += [f'At index {index}: {problem}'] if problem else []
        if problems:
            if len(problems) > 30:
                problems[30:] = ['...']
            self._fail('\n'.join(problems), msg)

    def _far(self, first: Any, second: Any, places: Any, delta: Any) -> Optional[str]:
        """Returns how two numbers are not nearly equal, None when they are."""
        try:
            self.assertAlmostEqual(first, second, places=places, delta=delta)
        except self.failureException as error:
            return str(error)
        return None

    def assertDictAlmostEqual(self, a: Any, b: Any, places: Any = None, msg: Any = None, delta: Any = None) -> None:
        """Fails unless the values of both are nearly equal."""
        self._compare_mappings(a, b, msg, lambda x, y: self._far(x, y, places, delta))

    def assertMappingEqual(self, a: Any, b: Any, msg: Any = None, mapping_type: Any = collections.abc.Mapping,
                           check_values_equality: Any = lambda a, b: a == b) -> None:
        """Fails unless both have the same keys and values."""
        for name, value in (('a', a), ('b', b)):
            if not isinstance(value, mapping_type):
                self.fail(f'{name} should be a {mapping_type.__name__}, found type: {type(value).__name__}')
        self._compare_mappings(
            a, b, msg, lambda x, y: None if check_values_equality(x, y) else f'{x!r} != {y!r}')

    def _compare_mappings(self, a: Any, b: Any, msg: Any, differ: Callable[[Any, Any], Optional[str]]) -> None:
        present = [f'{key!r}: {b[key]!r}' for key in _ordered(b) if key not in a]
        missing = [f'{key!r}: {a[key]!r}' for key in _ordered(a) if key not in b]
        other = [f'{key!r}: {differ(a[key], b[key])}' for key in _ordered(a)
                 if key in b and differ(a[key], b[key]) is not None]
        if not (present or missing or other):
            return
        text = f'{a} != {b}' + (f'({msg})' if msg else '')
        parts = [f'{title}\n' + '\n'.join(lines) + '\n' for title, lines in (
            ('Unexpected, but present entries:', present), ('repr() of differing entries:', other),
            ('Missing entries:', missing)) if lines]
        self.fail(text + '\n' + '\n'.join(parts))

    def assertDataclassEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Fails unless two objects of one dataclass have the same fields."""
        import dataclasses

        for word, value in (('First', first), ('Second', second)):
            if not dataclasses.is_dataclass(value) or isinstance(value, type):
                self.fail(f'{word} argument {value!r} is not a dataclass instance.')
        if first == second:
            return
        if type(first) is not type(second):
            self._fail(f'Found different dataclass types: {type(first)} != {type(second)}', msg)
        pairs = [(f.name, getattr(first, f.name), getattr(second, f.name)) for f in dataclasses.fields(first)]
        lines = [f'{name}: {x!r} != {y!r}' for name, x, y in pairs if x != y]
        self._fail('\n'.join([f'{first!r} != {second!r}', 'Fields that differ:', *lines]), msg)

    # ---- Texts ----

    def assertMultiLineEqual(self, first: Any, second: Any, msg: Any = None, **kwargs: Any) -> None:
        """Fails unless two texts are the same; shows the lines that differ."""
        if first == second:
            return
        lines = [f'{msg}:\n' if msg else '\n']
        for line in difflib.ndiff(first.splitlines(True), second.splitlines(True)):
            lines.append(line if line.endswith('\n') else line + '\n')
        raise self.failureException(''.join(lines))

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: Any = None) -> None:
        """Fails unless a text begins with another."""
        if not actual.startswith(expected_start):
            self._fail(f'{actual!r} does not start with {expected_start!r}', None if msg is None else repr(msg))

    def assertNotStartsWith(self, actual: Any, unexpected_start: Any, msg: Any = None) -> None:
        """Fails when a text begins with another."""
        if actual.startswith(unexpected_start):
            self._fail(f'{actual!r} does start with {unexpected_start!r}', None if msg is None else repr(msg))

    def assertEndsWith(self, actual: Any, expected_end: Any, msg: Any = None) -> None:
        """Fails unless a text ends with another."""
        if not actual.endswith(expected_end):
            self._fail(f'{actual!r} does not end with {expected_end!r}', None if msg is None else repr(msg))

    def assertNotEndsWith(self, actual: Any, unexpected_end: Any, msg: Any = None) -> None:
        """Fails when a text ends with another."""
        if actual.endswith(unexpected_end):
            self._fail(f'{actual!r} does end with {unexpected_end!r}', None if msg is None else repr(msg))

    def assertRegexMatch(self, actual_str: Any, regexes: Any, message: Any = None) -> None:
        """Fails unless a text has a match of one of some patterns."""
        if isinstance(regexes, (bytes, str)):
            self.fail('regexes is string or bytes; use assertRegex instead.')
        if not regexes:
            self.fail('No regexes specified.')
        kind = type(regexes[0])
        shown = actual_str
        if kind is bytes and isinstance(actual_str, str):
            actual_str = actual_str.encode()
        if kind is str and isinstance(actual_str, bytes):
            actual_str = actual_str.decode()
        if not any(re.search(regex, actual_str, re.MULTILINE) for regex in regexes):
            self._fail(f'"{shown}" does not contain any of these regexes: {regexes}.', message)

    def assertIsSubclass(self, cls: Any, superclass: Any, msg: Any = None) -> None:
        """Fails unless a class is below another."""
        if not issubclass(cls, superclass):
            self._fail(f'{cls!r} is not a subclass of {superclass!r}', msg)

    def assertNotIsSubclass(self, cls: Any, superclass: Any, msg: Any = None) -> None:
        """Fails when a class is below another."""
        if issubclass(cls, superclass):
            self._fail(f'{cls!r} is a subclass of {superclass!r}', msg)

    # ---- Exceptions ----

    def assertRaisesWithLiteralMatch(self, expected_exception: Any, expected_exception_message: str,
                                     callable_obj: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Fails unless something raises an exception with exactly that text."""
        manager = self._raises_literally(expected_exception, expected_exception_message)
        if callable_obj is None:
            return manager
        with manager:
            callable_obj(*args, **kwargs)
        return None

    @contextlib.contextmanager
    def _raises_literally(self, kind: Any, text: str) -> Iterator[None]:
        try:
            yield
        except kind as error:
            actual = str(error)
            self.assertEqual(text, actual, f'Exception message does not match.\nExpected: {text!r}\n'
                             f'Actual: {actual!r}')
        else:
            self.fail(f'{kind.__name__} not raised')

    # ---- Structures ----

    def assertSameStructure(self, a: Any, b: Any, aname: str = 'a', bname: str = 'b', msg: Any = None) -> None:
        """Fails unless lists and dictionaries, and what is in them, are the same; says what differs."""
        problems = list(_differences(a, b, aname, bname))
        if problems:
            self._fail('; '.join(problems[:10]), msg)

    def assertJsonEqual(self, first: str, second: str, msg: Any = None) -> None:
        """Fails unless two texts are JSON of the same."""
        import json

        values = []
        for word, text in (('first', first), ('second', second)):
            try:
                values.append(json.loads(text))
            except ValueError as error:
                raise ValueError(self._formatMessage(msg, f'could not decode {word} JSON value {text}: {error}')) \
                    from None
        self.assertSameStructure(values[0], values[1], 'first', 'second', msg)

    def assertUrlEqual(self, a: str, b: str, msg: Any = None) -> None:
        """Fails unless two addresses mean the same."""
        from urllib import parse

        first, second = parse.urlparse(a), parse.urlparse(b)
        for name in ('scheme', 'netloc', 'path', 'fragment'):
            self.assertEqual(getattr(first, name), getattr(second, name), msg)
        self.assertEqual(sorted(first.params.split(';')), sorted(second.params.split(';')), msg)
        self.assertDictEqual(parse.parse_qs(first.query, keep_blank_values=True),
                             parse.parse_qs(second.query, keep_blank_values=True), msg)

    # ---- Commands and files ----

    def assertCommandSucceeds(self, command: Any, regexes: Any = (b'',), env: Any = None, close_fds: bool = True,
                              msg: Any = None) -> None:
        """Fails unless a command ends well and its output has a match of one of some patterns."""
        code, output = _run(command, env, close_fds)
        patterns = [regex.encode() if isinstance(regex, str) else regex for regex in regexes]
        text = _command_text(command, code, output)
        self.assertEqual(code, 0, self._formatMessage(msg, text))
        self.assertRegexMatch(output, patterns, self._formatMessage(
            msg, f'{text} which matches no regex in {patterns}'))

    def assertCommandFails(self, command: Any, regexes: Any, env: Any = None, close_fds: bool = True,
                           msg: Any = None) -> None:
        """Fails unless a command fails and its output has a match of one of some patterns."""
        code, output = _run(command, env, close_fds)
        patterns = [regex.encode() if isinstance(regex, str) else regex for regex in regexes]
        self.assertNotEqual(code, 0, self._formatMessage(
            msg, f'The following command succeeded while expected to fail:\n{_cut_out(_words(command))}'))
        self.assertRegexMatch(output, patterns, self._formatMessage(
            msg, f'{_command_text(command, code, output)} which matches no regex in {patterns}'))

    def create_tempdir(self, name: Optional[str] = None, cleanup: Any = None) -> Any:
        """Makes a folder that goes when the test ends."""
        from berth.modules.test import files

        return files.folder(self, name, cleanup or self.tempfile_cleanup)

    def create_tempfile(self, file_path: Optional[str] = None, content: Any = None, mode: str = 'w',
                        encoding: str = 'utf8', errors: str = 'strict', cleanup: Any = None) -> Any:
        """Makes a file that goes when the test ends."""
        from berth.modules.test import files

        made = files.file(self, file_path, cleanup or self.tempfile_cleanup)
        if content is not None:
            with made.open('wb' if isinstance(content, bytes) else mode,
                           **({} if isinstance(content, bytes) else {'encoding': encoding, 'errors': errors})) as file:
                file.write(content)
        return made

    def enter_context(self, manager: Any) -> Any:
        """Enters a context that is left when the test ends."""
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def record_property(self, property_name: str, property_value: Any) -> None:
        """Notes something about the test."""
        self.__dict__.setdefault('_recorded', {})[property_name] = property_value

    def get_recorded_properties(self, subtest: Any = None) -> dict[str, Any]:
        """Returns what was noted about the test."""
        return self.__dict__.setdefault('_recorded', {})


def _unique(items: list[Any]) -> list[Any]:
    """Returns |items|, sorted where they can be, without those that come again."""
    found: list[Any] = []
    for item in _ordered(items):
        if item not in found:
            found.append(item)
    return found


def _ordered(items: Any) -> list[Any]:
    try:
        return sorted(items)
    except TypeError:
        return list(items)


def _differences(a: Any, b: Any, first: str, second: str) -> Iterator[str]:
    """Yields what differs between two structures."""
    kinds = [(collections.abc.Mapping, dict), ((list, tuple), list)]
    if type(a) is not type(b) and not any(isinstance(a, k) and isinstance(b, k) for k, _ in kinds) \
            and not (isinstance(a, (int, float)) and isinstance(b, (int, float))):
        yield f'{first} is a {type(a)!r} but {second} is a {type(b)!r}'
    elif isinstance(a, collections.abc.Mapping):
        yield from _key_differences(a, b, first, second)
    elif isinstance(a, (list, tuple)):
        for index, (x, y) in enumerate(zip(a, b)):
            yield from _differences(x, y, f'{first}[{index}]', f'{second}[{index}]')
        for index in range(len(b), len(a)):
            yield f'{first} has [{index}] with value {a[index]!r} but {second} does not'
        for index in range(len(a), len(b)):
            yield f'{first} lacks [{index}] but {second} has it with value {b[index]!r}'
    elif a != b:
        yield f'{first} is {a!r} but {second} is {b!r}'


def _key_differences(a: Any, b: Any, first: str, second: str) -> Iterator[str]:
    for key in _ordered(a):
        if key in b:
            yield from _differences(a[key], b[key], f'{first}[{key!r}]', f'{second}[{key!r}]')
        else:
            yield f"{first} has [{key!r}] with value {a[key]!r} but it's missing in {second}"
    for key in _ordered(b):
        if key not in a:
            yield f'{first} lacks [{key!r}] but {second} has it with value {b[key]!r}'


def _run(command: Any, env: Any, close_fds: bool) -> tuple[int, bytes]:
    """Runs a command and returns how it ended and what it wrote."""
    import subprocess

    done = subprocess.run(command, env=env or os.environ.copy(), close_fds=close_fds, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, shell=isinstance(command, str), check=False)
    return done.returncode, done.stdout


def _words(command: Any) -> str:
    if isinstance(command, str):
        return command
    return ' '.join("'" + word.replace("'", "'\"'\"'") + "'" for word in command)


def _cut_out(text: Any) -> str:
    shown = text.decode(errors='replace') if isinstance(text, bytes) else text
    return f'8<-----------\n{shown}\n----------->8\n'


def _command_text(command: Any, code: int, output: bytes) -> str:
    return f'Running command\n{_cut_out(_words(command))} failed with error code {code} and message\n{_cut_out(output)}'

"""case - tf.test.TestCase: a test with assertions about arrays, and sessions to run graphs in."""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Optional

from berth.base import naming
from berth.modules.test.texts import TextTestCase

_SEED = 87654321
_SHOWN = 10  # How many values an assertion about many shows.
_NO_SESSION = (
    'Trying to access properties or call methods on the result of self.session(), self.cached_session(), etc while '
    "eager execution is enabled. If you're porting this test case to TF 2.0, either adapt the test to work with eager "
    'execution or insert a call to tf.disable_eager_execution() in the main() function of this test file.')


class _NoSession:
    """What stands for a session where there is none."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(_NO_SESSION)


@naming.public('framework.test_util', 'TensorFlowTestCase')
class TestCase(TextTestCase):
    """A test with assertions about arrays."""

    _cached: Any = None

    def setUp(self) -> None:
        """Gives the test a graph of its own, and the same random numbers each time."""
        import random

        import numpy

        from berth.framework import scopes, seeds

        super().setUp()
        self._close_cached()
        random.seed(_SEED)
        numpy.random.seed(_SEED)
        if scopes.executing_eagerly():
            seeds.set_seed(_SEED)
        else:
            scopes.reset_default_graph()
            scopes.get_default_graph().seed = _SEED

    def tearDown(self) -> None:
        """Closes the session that tests share."""
        self._close_cached()
        super().tearDown()

    def _close_cached(self) -> None:
        if self._cached is not None:
            self._cached.close()
            self._cached = None

    # ---- Running ----

    def get_temp_dir(self) -> str:
        """Returns a folder for the files of a test."""
        from berth.modules import test

        return test.get_temp_dir()

    @contextlib.contextmanager
    def session(self, graph: Any = None, config: Any = None, use_gpu: bool = True,
                force_gpu: bool = False) -> Iterator[Any]:
        """Returns a session for a with block; without GPUs unless told to use them."""
        from berth.client import session as client
        from berth.framework import scopes

        if scopes.executing_eagerly():
            yield _NoSession()
            return
        with client.Session(graph=graph, config=config) as session, self._devices(session.graph, use_gpu, force_gpu):
            yield session

    def _devices(self, graph: Any, use_gpu: bool, force_gpu: bool) -> Any:
        """Returns the device scope that a session of a test has."""
        if force_gpu:
            return graph.device('/device:GPU:0')
        return contextlib.nullcontext() if use_gpu else graph.device('/device:CPU:0')

    @contextlib.contextmanager
    def cached_session(self, graph: Any = None, config: Any = None, use_gpu: bool = True,
                       force_gpu: bool = False) -> Iterator[Any]:
        """Returns a session for a with block that stays open until the test ends."""
        from berth.client import session as client
        from berth.framework import scopes

        if scopes.executing_eagerly():
            yield _NoSession()
            return
        if self._cached is None:
            self._cached = client.Session(graph=graph, config=config)
        with self._cached.as_default(), self._cached.graph.as_default():
            with self._devices(self._cached.graph, use_gpu, force_gpu):
                yield self._cached

    def test_session(self, graph: Any = None, config: Any = None, use_gpu: bool = True,
                     force_gpu: bool = False) -> Any:
        """Returns a session for a with block; the older name."""
        return (self.cached_session if graph is None else self.session)(graph, config, use_gpu, force_gpu)

    # Runners of tests take it for one by its name.
    test_session.__unittest_skip__ = True  # type: ignore[attr-defined]
    test_session.__unittest_skip_why__ = 'Not a test.'  # type: ignore[attr-defined]

    def evaluate(self, tensors: Any) -> Any:
        """Returns the values of tensors, run in the default session in graph mode."""
        from berth.framework import nest, scopes

        if scopes.executing_eagerly():
            return nest.map_structure(_value_of, tensors)
        default = scopes.get_default_session()
        if default is not None:
            return default.run(tensors)
        with self.cached_session() as session:
            return session.run(tensors)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Returns the values of both if both are tensors, else both as they are."""
        from berth.framework.node import SymbolicTensor

        if isinstance(a, SymbolicTensor) and isinstance(b, SymbolicTensor):
            return self.evaluate([a, b])
        return a, b

    def _array(self, value: Any) -> Any:
        """Returns |value| as an array."""
        import numpy

        from berth.framework.convert import is_tensor

        if is_tensor(value):
            value = self.evaluate(value)
        try:
            return numpy.array(value) if not isinstance(value, numpy.ndarray) else value
        except ValueError:
            return numpy.array(value, dtype=object)

    # ---- Equal ----

    def assertAllEqual(self, a: Any, b: Any, msg: Optional[str] = None) -> None:
        """Fails unless both hold the same values."""
        import numpy

        a, b = self.evaluate_if_both_tensors(a, b)
        a, b = self._array(a), self._array(b)
        self.assertEqual(a.shape, b.shape, f'Shape mismatch: expected {a.shape}, got {b.shape}. Contents: {b!r}. \n'
                         f'{msg or ""}.')
        same = a == b
        if a.dtype.kind in 'fc' and b.dtype.kind in 'fc':
            same = numpy.logical_or(same, numpy.logical_and(numpy.isnan(a), numpy.isnan(b)))
        lines = [msg or '']
        if not numpy.all(same):
            places = numpy.where(numpy.logical_not(same)) if a.ndim else ()
            lines += [f'not equal where = {places}'] if a.ndim else []
            lines += [f'not equal lhs = {a[places]!r}', f'not equal rhs = {b[places]!r}'] if a.ndim else [
                f'not equal lhs = {a!r}', f'not equal rhs = {b!r}']
        numpy.testing.assert_array_equal(a, b, err_msg='\n'.join(lines))

    def assertNotAllEqual(self, a: Any, b: Any, msg: Optional[str] = None) -> None:
        """Fails when both hold the same values."""
        with self._expect_failure(f'The two values are equal at all elements. {msg or ""}'):
            self.assertAllEqual(a, b)

    @contextlib.contextmanager
    def _expect_failure(self, text: str) -> Iterator[None]:
        try:
            yield
        except AssertionError:
            return
        raise AssertionError(text)

    def assertDictEqual(self, a: Any, b: Any, msg: Optional[str] = None) -> None:  # type: ignore[override]
        """Fails unless both have the same keys and values; values may be arrays."""
        self.assertSameElements(a.keys(), b.keys(), msg)
        for key, value in a.items():
            found = self.evaluate_if_both_tensors(value, b[key])
            self.assertAllEqual(found[0], found[1], key if msg is None else msg)

    # ---- Nearly equal ----

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6,
                       msg: Optional[str] = None) -> None:
        """Fails unless both hold nearly the same values, in lists and dictionaries, too."""
        self._all_close(a, b, rtol, atol, '', msg or '')

    def _all_close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str) -> None:
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg}")
        if isinstance(a, Mapping):
            self.assertItemsEqual(a.keys(), b.keys(), f'mismatched keys: a{path} has keys {a.keys()}, but b{path} '
                                  f'has keys {b.keys()}. {msg}')
            for key in a:
                self._all_close(a[key], b[key], rtol, atol, f'{path}[{key}]', msg)
            return
        text = f'Mismatched value: a{path} is different from b{path}. {msg}'
        try:
            self._arrays_close(a, b, rtol, atol, text)
        except (ValueError, TypeError):
            if not isinstance(a, (list, tuple)):
                raise
            if len(a) != len(b):
                raise ValueError(f'Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)} items. '
                                 f'{msg}') from None
            for index, (x, y) in enumerate(zip(a, b)):
                self._all_close(x, y, rtol, atol, f'{path}[{index}]', msg)

    def _arrays_close(self, a: Any, b: Any, rtol: float, atol: float, msg: str) -> None:
        import numpy

        a, b = self.evaluate_if_both_tensors(a, b)
        a, b = self._array(a), self._array(b)
        self.assertEqual(a.shape, b.shape, f'Shape mismatch: expected {a.shape}, got {b.shape} with contents {b}.')
        lines = [msg]
        if not numpy.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            far = numpy.abs(a - b) > atol + rtol * numpy.abs(b)
            far = numpy.logical_or(far, numpy.isnan(a) != numpy.isnan(b))
            places = numpy.where(far) if a.ndim else ()
            x, y = (a[places], b[places]) if a.ndim else (a, b)
            lines += [f'not close where = {places}'] if a.ndim else []
            lines += [f'not close lhs = {x}', f'not close rhs = {y}', f'not close dif = {numpy.abs(x - y)}',
                      f'not close tol = {atol + rtol * numpy.abs(y)}', f'dtype = {a.dtype}, shape = {a.shape}']
        numpy.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg='\n'.join(lines), equal_nan=True)

    def assertAllCloseAccordingToType(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6,
                                      float_rtol: float = 1e-6, float_atol: float = 1e-6, half_rtol: float = 1e-3,
                                      half_atol: float = 1e-3, bfloat16_rtol: float = 1e-2,
                                      bfloat16_atol: float = 1e-2, msg: Optional[str] = None) -> None:
        """Fails unless both hold nearly the same values; types of fewer bits may differ by more."""
        a, b = self.evaluate_if_both_tensors(a, b)
        a, b = self._array(a), self._array(b)
        names = (a.dtype.name, b.dtype.name)
        for name, relative, absolute in (('float32', float_rtol, float_atol), ('float16', half_rtol, half_atol),
                                         ('bfloat16', bfloat16_rtol, bfloat16_atol)):
            if name in names or name == 'float32' and 'complex64' in names:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6,
                          msg: Optional[str] = None) -> None:
        """Fails when both hold nearly the same values."""
        with self._expect_failure(f'The two values are close at all elements. {msg or ""}'):
            self.assertAllClose(a, b, rtol=rtol, atol=atol)

    def assertNear(self, f1: Any, f2: Any, err: float, msg: Optional[str] = None) -> None:
        """Fails unless two numbers differ by no more than |err|."""
        self.assertTrue(f1 == f2 or math.fabs(f1 - f2) <= err,
                        f'{f1:f} != {f2:f} +/- {err:f} (difference: {f2 - f1})' + (f' ({msg})' if msg else ''))

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Optional[str] = None) -> None:
        """Fails unless the numbers of two rows differ by no more than |err|."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: Optional[str] = None) -> None:
        """Fails unless the norm of a difference is less than |err|."""
        import numpy

        self.assertTrue(bool(numpy.linalg.norm(ndarray1 - ndarray2) < err), msg)

    # ---- Compared with a number ----

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all values are greater."""
        self.assertGreater(self._array(a).min(), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all values are less."""
        self.assertLess(self._array(a).max(), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails when a value is less."""
        self.assertGreaterEqual(self._array(a).min(), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails when a value is greater."""
        self.assertLessEqual(self._array(a).max(), comparison_target)

    def assertAllInRange(self, target: Any, lower_bound: Any, upper_bound: Any, open_lower_bound: bool = False,
                         open_upper_bound: bool = False) -> None:
        """Fails unless all values are in a range."""
        import numpy

        values = self._array(target)
        if values.dtype.kind not in 'fiu':
            raise AssertionError(f'The value of {target} does not have an ordered numeric type, instead it has type: '
                                 f'{values.dtype}')
        nans = numpy.argwhere(numpy.isnan(values))
        if nans.size:
            raise AssertionError(f'{len(nans)} of the {values.size} element(s) are NaN. Subscripts(s) and value(s) of '
                                 f'the NaN element(s):\n{_shown_places(values, nans)}')
        low = values <= lower_bound if open_lower_bound else values < lower_bound
        high = values >= upper_bound if open_upper_bound else values > upper_bound
        bad = numpy.argwhere(numpy.logical_or(low, high))
        if bad.size:
            span = f'{"(" if open_lower_bound else "["}{lower_bound}, {upper_bound}{")" if open_upper_bound else "]"}'
            raise AssertionError(f'{len(bad)} of the {values.size} element(s) are outside the range {span}. '
                                 f'Subscript(s) and value(s) of the offending elements:\n{_shown_places(values, bad)}')

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Fails unless all values are in a set."""
        import numpy

        others = numpy.setdiff1d(self._array(target).flatten(), list(expected_set))
        if others.size:
            raise AssertionError(f'{others.size} unique element(s) are not in the set {expected_set}: {others}')

    # ---- Types, shapes, devices, messages ----

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Fails unless the values are of that type."""
        for array in target if isinstance(target, list) and not _is_flat(target) else [target]:
            self.assertEqual(self._array(array).dtype, expected_dtype)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: Optional[str] = None) -> None:
        """Fails unless two tensors or arrays have the same shape."""
        import numpy

        from berth.framework.node import Tensor

        for name, value in (('input_a', input_a), ('input_b', input_b)):
            if not isinstance(value, (numpy.ndarray, numpy.generic, Tensor)):
                raise TypeError(f'{name} must be a Numpy ndarray, Numpy scalar, or a Tensor.Instead received '
                                f'{type(value)}')
        shapes = [list(value.shape.as_list() if isinstance(value, Tensor) else value.shape)
                  for value in (input_a, input_b)]
        self.assertAllEqual(shapes[0], shapes[1], msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        """Fails unless two names mean the same device."""
        from berth.framework.device_spec import DeviceSpecV2

        names = [DeviceSpecV2.from_string(name).to_string() if isinstance(name, str) else name.to_string()
                 for name in (device1, device2)]
        self.assertEqual(names[0], names[1], f'Devices {names[0]} and {names[1]} are not equal. {msg}')

    def assertProtoEquals(self, expected_message_maybe_ascii: Any, validate_message: Any, msg: Any = None,
                          relative_tolerance: Any = None) -> None:
        """Fails unless a message is the same as another, or as a text says."""
        from google.protobuf import text_format

        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            expected = text_format.Parse(expected, type(validate_message)())
        if type(expected) is not type(validate_message):
            self.fail(f"Can't compare protos of type {type(expected)} and {type(validate_message)}.")
        self.assertMultiLineEqual(text_format.MessageToString(expected), text_format.MessageToString(validate_message),
                                  msg)

    def assertProtoEqualsVersion(self, expected: str, actual: Any, producer: int = 2474, min_consumer: int = 0,
                                 msg: Any = None) -> None:
        """Fails unless a GraphDef is as a text says, and of these versions."""
        self.assertProtoEquals(f'versions {{ producer: {producer} min_consumer: {min_consumer} }};\n{expected}', actual,
                               msg)

    # ---- Exceptions ----

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type: Any, expected_err_re_or_predicate: Any) -> Iterator[None]:
        """Fails unless something raises an exception that a function accepts, or whose text has a pattern."""
        accepts = expected_err_re_or_predicate
        try:
            yield
            self.fail(f'{exception_type.__name__} not raised')
        except Exception as error:  # pylint: disable=broad-except
            fits = accepts(error) if callable(accepts) else re.search(accepts, getattr(error, 'message', str(error)))
            if not isinstance(error, exception_type) or not fits:
                raise AssertionError(f'Exception of type {type(error)}: {error}') from error

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """Fails unless something raises a failure of the runtime."""
        from berth.framework import errors

        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type: Any = None) -> Any:
        """Fails unless something raises an error about shapes that do not fit."""
        from berth.framework import errors

        return self.assertRaisesWithPredicateMatch(
            exception_type or errors.InvalidArgumentError, r'Incompatible shapes|Dimensions must be equal|'
            r'required broadcastable shapes')

    # ---- Threads and streams ----

    def checkedThread(self, target: Callable[..., Any], args: Any = None, kwargs: Any = None) -> Any:
        """Returns a thread whose failure fails the test when it is joined."""
        from berth.modules.test import threads

        return threads.CheckedThread(self, target, args, kwargs)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Any]:
        """Keeps what is written to a stream, by anybody in the process, inside a with block."""
        from berth.modules.test import threads

        with threads.captured(stream, os.path.join(self.get_temp_dir(), 'captured')) as writes:
            yield writes


def _value_of(tensor: Any) -> Any:
    """Returns the value of what ran at once."""
    if tensor is None:
        return None
    if callable(tensor) and not hasattr(tensor, 'numpy'):
        return _value_of(tensor())
    if not hasattr(tensor, 'numpy'):
        raise ValueError(f"Unsupported type {type(tensor).__name__!r}.")
    return tensor.numpy()


def _is_flat(values: list[Any]) -> bool:
    """True for a list of plain numbers, which is one array."""
    return all(isinstance(value, (int, float, complex, str, bytes)) for value in values)


def _shown_places(values: Any, places: Any) -> str:
    """Returns a line for each of some places, as many as can be read."""
    lines = [f'  [{", ".join(str(i) for i in place)}] : {values[tuple(place)]}' for place in places[:_SHOWN]]
    return '\n'.join(lines + (['  ...'] if len(places) > _SHOWN else []))

"""errors - The exceptions of tf.errors, one class for each code of a failure."""

from __future__ import annotations

from typing import Any, Mapping

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """A failure of the runtime: a code, a text, and the op it is about, if known."""

    _CODE = UNKNOWN

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int, *args: Any) -> None:
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        payloads = args[0] if args and isinstance(args[0], Mapping) else {}
        self._experimental_payloads = dict(payloads)

    @property
    def message(self) -> str:
        """The text."""
        return self._message

    @property
    def op(self) -> Any:
        """The operation that failed, or None."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The NodeDef of that operation, or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The number of the code."""
        return self._error_code

    @property
    def experimental_payloads(self) -> dict[str, Any]:
        """What else came with the failure."""
        return self._experimental_payloads

    def __reduce__(self) -> Any:
        return _remake, (self._error_code, self._message)

    def __str__(self) -> str:
        if self._op is None:
            return self._message
        import traceback

        lines = traceback.format_list(self._op.traceback)
        return f"{self._message}\n\nOriginal stack trace for {self._op.name!r}:\n" + ''.join(lines)


def _with_code(self: OpError, node_def: Any, op: Any, message: str, *args: Any) -> None:
    """Makes an error whose class says the code."""
    OpError.__init__(self, node_def, op, message, type(self)._CODE, *args)


class CancelledError(OpError):
    """The run was cancelled, or its session closed."""

    _CODE = CANCELLED
    __init__ = _with_code  # type: ignore[assignment]


class UnknownError(OpError):
    """A failure of unknown kind; the one class that takes a code of its own."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        code = args[0] if args and isinstance(args[0], int) else UNKNOWN
        super().__init__(node_def, op, message, code)


class InvalidArgumentError(OpError):
    """An op was given something it cannot take."""

    _CODE = INVALID_ARGUMENT
    __init__ = _with_code  # type: ignore[assignment]


class DeadlineExceededError(OpError):
    """The time for a run was over."""

    _CODE = DEADLINE_EXCEEDED
    __init__ = _with_code  # type: ignore[assignment]


class NotFoundError(OpError):
    """Something that was asked for is not there."""

    _CODE = NOT_FOUND
    __init__ = _with_code  # type: ignore[assignment]


class AlreadyExistsError(OpError):
    """Something that was to be made is there already."""

    _CODE = ALREADY_EXISTS
    __init__ = _with_code  # type: ignore[assignment]


class PermissionDeniedError(OpError):
    """The caller may not do that."""

    _CODE = PERMISSION_DENIED
    __init__ = _with_code  # type: ignore[assignment]


class ResourceExhaustedError(OpError):
    """Memory, or another resource, has run out.

    The runtime adds a sentence about the memory to TensorFlow's text; it is kept apart, in
    |report|, and shown below the error where it is not caught.
    """

    _CODE = RESOURCE_EXHAUSTED

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        import re

        found = re.search(r'\n(\S+ is out of memory: asked [^\n]*)', message)
        self.report = '' if found is None else found[1]
        if found is not None:
            message = message[:found.start()] + message[found.end():]
        super().__init__(node_def, op, message, RESOURCE_EXHAUSTED, *args)
        if found is not None and hasattr(self, 'add_note'):
            self.add_note(self.report)


class FailedPreconditionError(OpError):
    """The system is not in a state for that, such as before initialisation."""

    _CODE = FAILED_PRECONDITION
    __init__ = _with_code  # type: ignore[assignment]


class AbortedError(OpError):
    """The operation was aborted."""

    _CODE = ABORTED
    __init__ = _with_code  # type: ignore[assignment]


class OutOfRangeError(OpError):
    """Past the end, as of a queue that is closed and empty."""

    _CODE = OUT_OF_RANGE
    __init__ = _with_code  # type: ignore[assignment]


class UnimplementedError(OpError):
    """There is no such thing yet."""

    _CODE = UNIMPLEMENTED
    __init__ = _with_code  # type: ignore[assignment]


class InternalError(OpError):
    """Something inside the runtime is wrong."""

    _CODE = INTERNAL
    __init__ = _with_code  # type: ignore[assignment]


class UnavailableError(OpError):
    """Something that is needed cannot be had now."""

    _CODE = UNAVAILABLE
    __init__ = _with_code  # type: ignore[assignment]


class DataLossError(OpError):
    """Data is corrupt or lost."""

    _CODE = DATA_LOSS
    __init__ = _with_code  # type: ignore[assignment]


class UnauthenticatedError(OpError):
    """The caller has not shown who it is."""

    _CODE = UNAUTHENTICATED
    __init__ = _with_code  # type: ignore[assignment]


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a value."""


_BY_CODE: dict[int, type[OpError]] = {
    cls._CODE: cls for cls in OpError.__subclasses__() if '_CODE' in vars(cls)
}
_BY_CODE[UNKNOWN] = UnknownError


# Tracebacks name classes with their modules, and programs that read logs know TensorFlow's.
for _class in (OpError, OperatorNotAllowedInGraphError, *_BY_CODE.values()):
    _class.__module__ = 'tensorflow.python.framework.errors_impl'


def _remake(code: int, message: str) -> OpError:
    """Makes an unpickled copy of an error; the op it is about stays behind."""
    return class_of(code)(None, None, message)


def class_of(code: int) -> Any:
    """Returns the class of |code|; UnknownError for a number that is none."""
    return _BY_CODE.get(code, UnknownError)


def install(core: Any) -> None:
    """Makes failures of the extension raise these classes."""
    for code, kind in _BY_CODE.items():
        core.set_error_class(code, kind)


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """Returns the class of |error_code|; KeyError for a number that is none."""
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int:
    """Returns the code of |cls|."""
    return {kind: code for code, kind in _BY_CODE.items()}[cls]


def __dir__() -> list[str]:
    """Lists what TensorFlow has here: codes and classes, and in TF1 what leads from one to the other."""
    from berth import _mode

    found = [name for name in globals() if name.isupper() or name.endswith('Error')]
    if _mode.is_v1():
        found += ['error_code_from_exception_type', 'exception_type_from_error_code']
        found.remove('OperatorNotAllowedInGraphError')
    return sorted(name for name in found if not name.startswith('_'))


_OOM_HINT = ("Hint: If you want to see a list of allocated tensors when OOM happens, add "
             "report_tensor_allocations_upon_oom to RunOptions for current allocation info. This isn't available "
             "when running in Eager mode.")


def with_hint(error: OpError, end: str = '') -> OpError:
    """Returns an error about memory that says how to learn more, and then |end|."""
    return type(error)(error.node_def, error.op, f'{error.message}\n{_OOM_HINT}{end}')

"""file_writer - Writers of TF2's summaries: files of events that the runtime keeps."""

from __future__ import annotations

from typing import Any, Optional

from berth._summary.recording import state
from berth.base import execution, naming
from berth.eager import binding
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.node import Tensor
from berth.ops import order_ops

# The name of resources that only their handles know.
_ANONYMOUS = 'cd2c89b7-88b7-44c8-ad83-06c2a9158347'
_INIT_COLLECTION = '_SUMMARY_WRITER_V2'
_HOST = 'cpu:0'


@naming.public('ops.summary_ops_v2', '_SummaryContextManager')
class _Default:
    """Makes a writer, and maybe a step, those of the thread for a while."""

    def __init__(self, writer: 'SummaryWriter', step: Any) -> None:
        self._writer, self._step = writer, step
        self._before: tuple[Any, Any] = (None, None)

    def __enter__(self) -> 'SummaryWriter':
        self._before = state.writer, state.step
        state.writer = self._writer
        if self._step is not None:
            state.step = self._step
        return self._writer

    def __exit__(self, *exc: Any) -> None:
        state.writer.flush()
        state.writer = self._before[0]
        if self._step is not None:
            state.step = self._before[1]


@naming.public('ops.summary_ops_v2')
class SummaryWriter:
    """Where summaries go."""

    def set_as_default(self, step: Any = None) -> None:
        """Makes it the writer of this thread from now on."""
        self.as_default(step).__enter__()

    def as_default(self, step: Any = None) -> Any:
        """Makes it the writer of this thread in a `with` block."""
        return _Default(self, step)

    def init(self) -> Any:
        """Opens it."""
        raise NotImplementedError

    def flush(self) -> Any:
        """Hands over what was written."""
        raise NotImplementedError

    def close(self) -> Any:
        """Ends it."""
        raise NotImplementedError


@naming.public('ops.summary_ops_v2')
class _NoopSummaryWriter(SummaryWriter):
    """Takes everything and writes nothing."""

    def set_as_default(self, step: Any = None) -> None:
        """Leaves things as they are."""

    def as_default(self, step: Any = None) -> Any:
        """Leaves things as they are in a `with` block."""
        import contextlib

        return contextlib.nullcontext()

    def init(self) -> None:
        """Does nothing."""

    flush = close = init


@naming.public('ops.summary_ops_v2')
class _ResourceSummaryWriter(SummaryWriter):
    """Writes a file of events."""

    def __init__(self, resource: Any, options: dict[str, Any]) -> None:
        self._resource = resource
        self._init_op = gen.apply('CreateSummaryFileWriter', None, {'writer': resource, **options})
        self._closed = False
        if not scopes.executing_eagerly():
            scopes.add_to_collection(_INIT_COLLECTION, self._init_op)

    def _is_closed(self) -> bool:
        return self._closed and scopes.executing_eagerly()

    def _check_open(self) -> None:
        if self._is_closed():
            raise RuntimeError(f'SummaryWriter {self!r} is already closed')

    def set_as_default(self, step: Any = None) -> None:
        """Makes it the writer of this thread from now on."""
        self._check_open()
        super().set_as_default(step)

    def as_default(self, step: Any = None) -> Any:
        """Makes it the writer of this thread in a `with` block."""
        self._check_open()
        return super().as_default(step)

    def init(self) -> Any:
        """Returns the op that opens the file."""
        self._check_open()
        return self._init_op

    def flush(self) -> Any:
        """Hands over what was written to the system."""
        if self._is_closed():
            return None
        with scopes.device(_HOST):
            return gen.apply('FlushSummaryWriter', None, {'writer': self._resource})

    def close(self) -> Any:
        """Ends the file."""
        if self._is_closed():
            return None
        try:
            with scopes.control_dependencies([self.flush()]), scopes.device(_HOST):
                return gen.apply('CloseSummaryWriter', None, {'writer': self._resource})
        finally:
            if scopes.executing_eagerly():
                self._closed = True


def _check_arguments(inside: bool, options: dict[str, Any]) -> None:
    """Refuses tensors of graphs where the writer is made at once."""
    for name, value in options.items():
        if not isinstance(value, Tensor) or isinstance(value, execution.tensor_class):
            continue
        text = f"Invalid graph Tensor argument '{name}={value}' to "
        if inside:
            raise ValueError(f'{text}create_file_writer() inside an @tf.function. The create call will be lifted into '
                             'the outer eager execution context, so it cannot consume graph tensors defined inside the '
                             'function body.')
        raise ValueError(f'{text}eagerly executed create_file_writer().')


def create_file_writer(logdir: Any, max_queue: Optional[int] = None, flush_millis: Optional[int] = None,
                       filename_suffix: Optional[str] = None, name: Optional[str] = None,
                       experimental_trackable: bool = False, experimental_mesh: Any = None) -> SummaryWriter:
    """Makes a writer of a file of events in the folder |logdir|."""
    if logdir is None:
        raise ValueError('Argument `logdir` cannot be None')
    inside = binding.is_in_function()
    with scopes.name_scope(name, 'create_file_writer') as scope, scopes.device(_HOST), scopes.init_scope():
        if scopes.executing_eagerly():
            _check_arguments(inside, {'logdir': logdir, 'max_queue': max_queue, 'flush_millis': flush_millis,
                                      'filename_suffix': filename_suffix})
        logdir = str(logdir) if hasattr(logdir, '__fspath__') else logdir
        options = {'logdir': convert.convert_to_tensor(logdir, dtype=dtypes.string),
                   'max_queue': convert.constant(10) if max_queue is None else max_queue,
                   'flush_millis': convert.constant(120000) if flush_millis is None else flush_millis,
                   'filename_suffix': convert.constant('.v2') if filename_suffix is None else filename_suffix}
        shared = _ANONYMOUS if scopes.executing_eagerly() else scope.rstrip('/')
        return _ResourceSummaryWriter(gen.apply('SummaryWriter', name, {}, {'shared_name': shared}), options)


def create_noop_writer() -> SummaryWriter:
    """Makes a writer that writes nothing."""
    return _NoopSummaryWriter()


def flush(writer: Any = None, name: Optional[str] = None) -> Any:
    """Hands over what |writer|, or that of this thread, has written."""
    writer = state.writer if writer is None else writer
    if writer is None:
        return order_ops.no_op()
    if isinstance(writer, SummaryWriter):
        return writer.flush()
    raise ValueError(f'Invalid argument to flush(): {writer!r}')


def initializers() -> Any:
    """Returns the ops that open the writers of the default graph."""
    if scopes.executing_eagerly():
        raise RuntimeError('tf.contrib.summary.summary_writer_initializer_op is only supported in graph mode.')
    return scopes.get_collection(_INIT_COLLECTION)


def initialize(graph: Any = None, session: Any = None) -> None:
    """Opens the writers of the default graph, and writes |graph| with that of this thread."""
    if scopes.executing_eagerly() or state.writer is None:
        return
    session = scopes.get_default_session() if session is None else session
    if session is None:
        raise ValueError('Argument `session must be passed if no default session exists')
    session.run(initializers())
    if graph is not None:
        from berth._summary import writing

        data = writing.serialized(graph)
        placeholder = gen.apply('Placeholder', None, {}, {'dtype': dtypes.string})
        session.run(writing.graph_v1(placeholder, 0), feed_dict={placeholder: data})

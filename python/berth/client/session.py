"""session.py - Session: running a graph of Python in the extension."""

from __future__ import annotations

import itertools
import os
import sys
import threading
from typing import Any

from berth import _core as core
from berth.base import devices, naming, recording
from berth.client import failures, feeds, handles
from berth.client.fetches import FetchPlan
from berth.framework import errors, scopes
from berth.framework.graph import Graph
from berth.framework.node import Operation, Tensor

_interactive: list[Any] = []


class DeviceAttributes:
    """What a session says about one of its devices."""

    def __init__(self, name: str, device_type: str, memory_limit_bytes: int, incarnation: int) -> None:
        self.name = name
        self.device_type = device_type
        self.memory_limit_bytes = memory_limit_bytes
        self.incarnation = (incarnation + 2**63) % 2**64 - 2**63  # TensorFlow shows it signed.

    def __repr__(self) -> str:
        return f'_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation})'

_DEAD_HANDLES = 10  # So many are deleted at once.


def _kept_type(tensor: Tensor) -> Any:
    """Returns the type of what the session keeps where |tensor| is a handle of it, else None."""
    is_handle = tensor.op.type in ('GetSessionHandle', 'GetSessionHandleV2')
    return tensor.op.inputs[0].dtype if is_handle else None


class _Call:
    """One combination of fetches and feed keys, ready to be run."""

    __slots__ = ('fetches', 'handles', 'keys', 'plan', 'targets')

    def __init__(self, plan: FetchPlan, keys: tuple[Any, ...]) -> None:
        self.plan = plan
        self.keys = keys
        fed = {id(k) for k in keys}
        self.fetches = tuple(t for t in plan.tensors if id(t) not in fed)
        self.targets = tuple(op.node for op in plan.targets)
        kinds = [_kept_type(t) for t in plan.tensors]
        self.handles = kinds if any(kinds) else None


@naming.public('client.session')
class BaseSession:
    """Runs a graph."""

    def __init__(self, target: Any = '', graph: Graph | None = None, config: Any = None) -> None:
        self._closed = False
        self._session: Any = None
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        self._graph = scopes.get_default_graph() if graph is None else graph
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"')
        self._target = target.encode() if isinstance(target, str) else target or b''
        self._config = config
        if config is not None and not _is_config(config):
            raise TypeError(f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"')
        if self._target:
            raise self._no_factory()
        try:
            self._session = core.Session(self._graph._core, devices.session_config(config))
        except errors.OpError as error:
            failures.log_not_created(error)
            raise
        self._runner = core.Runner(self._session, self._graph, self._run_any, self._failed)
        if os.environ.get('BERTH_EXPLAIN'):
            from berth.client import explain

            explain.at_exit(self)
        self._dead_handles: list[str] = []
        self._delete_lock = threading.RLock()  # Collecting garbage may come back here.
        self._partials: dict[str, Any] = {}
        self._partial_numbers = itertools.count()

    def _no_factory(self) -> Exception:
        target = self._target.decode(errors='replace')
        return errors.NotFoundError(
            None, None, f'No session factory registered for the given session options: {{target: "{target}" config: '
            f'{_settings_text(self._config)}}} Registered factories are {{GRPC_SESSION, DIRECT_SESSION}}.')

    @property
    def graph(self) -> Graph:
        """The graph it runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a GraphDef message."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> bytes:
        """The target it was made for."""
        return self._target

    def list_devices(self) -> list[DeviceAttributes]:
        """Returns the devices that operations can run on."""
        from berth.client import device_lib

        if self._closed:
            raise errors.CancelledError(None, None, 'Session has been closed.')
        return [DeviceAttributes(*device_lib.describe(name)) for name in self._session.list_devices()]

    def close(self) -> None:
        """Ends what is running and refuses further runs."""
        if self._session is not None and not self._closed:
            self._closed = True
            self._runner.close()
            self._session.close()

    def __del__(self) -> None:
        session = getattr(self, '_session', None)
        if session is not None and not self._closed:
            try:
                session.close()
            except (AttributeError, TypeError):
                pass

    def as_default(self) -> Any:
        """Makes it the default session of the thread, inside a with block."""
        return scopes.default_sessions.push(self)

    # ---- Runs ----

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError('Attempted to use a closed Session.')
        if self._graph.version == 0:
            raise RuntimeError('The Session graph is empty. Add operations to the graph before calling run().')

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs what |fetches| need and returns their values, in the same form."""
        if recording.recorder is not None:
            return self._run_any(fetches, feed_dict, options, run_metadata)
        return self._runner(fetches, feed_dict, options, run_metadata)

    def _failed(self, error: Exception) -> Exception:
        if not isinstance(error, errors.OpError):
            return error
        if not isinstance(error, errors.ResourceExhaustedError):
            return failures.better(self._graph, error)
        return failures.out_of_memory(self._graph, failures.better(self._graph, errors.with_hint(error)))

    def _run_any(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Does what the runner leaves: nested fetches, conversions, mistakes."""
        self._check_open()
        call, values = self._prepare(fetches, feed_dict)
        if options is not None or run_metadata is not None:
            return self._run_with(call, values, options, run_metadata)
        return self._finish(call, values, self._run_core(call, values))

    def _run_core(self, call: _Call, values: list[Any]) -> list[Any]:
        if not call.fetches and not call.targets:
            return []
        try:
            if recording.recorder is not None:
                return self._run_told(recording.TRACED, call, values)[0]
            return self._session.run(call.fetches, call.targets, list(zip(call.keys, values)))
        except errors.OpError as error:
            raise self._failed(error)

    def _run_told(self, settings: bytes, call: _Call, values: list[Any]) -> tuple[list[Any], bytes]:
        """Runs with serialised RunOptions, and notes it while runs are recorded."""
        recorder = recording.recorder
        request = call.fetches, call.targets, list(zip(call.keys, values))
        if recorder is None:
            return self._session.run_with(settings, *request)
        return recorder.run(self._session, 'Session.run', self._graph._by_name.get, settings, *request)

    def _finish(self, call: _Call, values: list[Any], results: list[Any]) -> Any:
        """Puts results, and values that were fed and fetched, in the form of the fetches."""
        if len(call.fetches) != len(call.plan.tensors):
            rest = iter(results)
            fed = {id(k): v for k, v in zip(call.keys, values)}
            results = [fed[id(t)] if id(t) in fed else next(rest) for t in call.plan.tensors]
        if call.handles:
            results = [handles.TensorHandle(value, kind, self) if kind is not None else value
                       for value, kind in zip(results, call.handles)]
        return call.plan.pick(results)

    def _register_dead_handle(self, handle: str) -> None:
        """Notes that nobody has |handle| any more; what is dead is deleted, several tensors at once."""
        with self._delete_lock:
            self._dead_handles.append(handle)
            if len(self._dead_handles) < _DEAD_HANDLES or self._closed:
                return
            dead, self._dead_handles = self._dead_handles, []
        nodes = [handles.deleter(self._graph, number, text) for number, text in enumerate(dead)]
        self.run([deleted for _, deleted in nodes], {holder: text for (holder, _), text in zip(nodes, dead)})

    def _run_with(self, call: _Call, values: list[Any], options: Any, run_metadata: Any) -> Any:
        settings = b'' if options is None else options.SerializeToString()
        parse = None if run_metadata is None else run_metadata.ParseFromString
        try:
            results, metadata = self._run_told(settings, call, values)
        except errors.OpError as error:
            reports = options is not None and (options.trace_level or options.report_tensor_allocations_upon_oom)
            raise failures.better(self._graph, error) if reports else self._failed(error)
        if parse is not None:
            parse(metadata)
        return self._finish(call, values, results)

    def _prepare(self, fetches: Any, feed_dict: Any) -> tuple[_Call, list[Any]]:
        """Returns what to run, and the values to feed."""
        keys: tuple[Any, ...] = ()
        values: list[Any] = []
        if feed_dict:
            fed = feeds.read(self._graph, feed_dict)
            keys, values = tuple(fed), list(fed.values())
        return _Call(FetchPlan(self._graph, fetches), keys), values

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Any:
        """Returns a function that runs |fetches| with values for |feed_list|."""
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(f'Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}')
        if feed_list is not None:
            def generic_run(*feed_args: Any, **kwargs: Any) -> Any:
                return self.run(fetches, dict(zip(feed_list, feed_args)), **kwargs)

            return _named(generic_run, '_generic_run')
        call = _Call(FetchPlan(self._graph, fetches), ())
        if accept_options:
            return lambda options=None, run_metadata=None: self._run_with(call, [], options, run_metadata)
        if isinstance(fetches, (Operation, Tensor)):
            kind = '_single_operation_run' if isinstance(fetches, Operation) else '_single_tensor_run'
            return _named(lambda: self.run(fetches), kind)
        # What is in containers now counts, whatever becomes of them.
        return _named(lambda: self._finish(call, [], self._run_core(call, [])), '_fetch_handler_run')

    def _make_callable_from_options(self, callable_options: Any) -> Any:
        """Returns a function for a CallableOptions message."""
        from berth.client import callables

        return callables.from_options(self, callable_options)

    def memory_plan(self, fetches: Any, feed_shapes: Any = None, batch: int | None = None) -> Any:
        """Returns what a run of |fetches| will take of memory; None in a shape is the size of a batch."""
        from berth.client import memory_plan

        self._check_open()
        return memory_plan.make(self, fetches, feed_shapes, batch)

    # ---- Partial runs ----

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """Starts a run that is fed and fetched from in several calls."""
        from berth.client import partial

        self._check_open()
        return partial.setup(self, fetches, feeds)

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """Goes on with a run that was set up."""
        from berth.client import partial

        self._check_open()
        return partial.run(self, handle, fetches, feed_dict)


def _named(function: Any, name: str) -> Any:
    """Gives a function that make_callable() returns the name that TensorFlow's has."""
    function.__name__ = name
    function.__qualname__ = 'BaseSession.make_callable.<locals>.' + name
    return function


def _is_config(config: Any) -> bool:
    """True for a ConfigProto, whoever's class it is."""
    return hasattr(config, 'SerializeToString') and getattr(config, 'DESCRIPTOR', None) is not None and \
        config.DESCRIPTOR.name == 'ConfigProto'


def _settings_text(config: Any) -> str:
    """Returns settings on one line, as errors of TensorFlow show them."""
    if config is None:
        return ('goo.gle/debugonly device_count { key: "CPU" value: 1 } device_count { key: "GPU" value: 0 } '
                'gpu_options { experimental { } } experimental { disable_optimize_for_static_graph: true } '
                'pluggable_device_options { experimental { } }')
    return ' '.join(str(config).split())


@naming.public('client.session')
class Session(BaseSession):
    """Runs a graph; as a context manager also the default session and graph."""

    def __init__(self, target: Any = '', graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config=config)
        self._managers: list[tuple[Any, Any]] = []
        self._managers_lock = threading.Lock()

    def __enter__(self) -> Session:
        graph, session = self._graph.as_default(), self.as_default()
        graph.__enter__()
        session.__enter__()
        with self._managers_lock:
            self._managers.append((graph, session))
        return self

    def __exit__(self, exc_type: Any, exc: Any, trace: Any) -> None:
        if exc_type is errors.OpError:
            print('Session closing due to error %s' % (exc,), file=sys.stderr)
        with self._managers_lock:
            graph, session = self._managers.pop()
        session.__exit__(None, None, None)
        graph.__exit__(None, None, None)
        self.close()

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Clears the state of a target; sessions of Berth have theirs for themselves."""


def _interactive_config(config: Any) -> Any:
    """Returns |config| with what suits a graph that grows: only what is run is placed."""
    if config is None:
        from berth.base import protos

        config = protos.ConfigProto()
        config.gpu_options.allow_growth = True
    config.graph_options.place_pruned_graph = True
    return config


@naming.public('client.session')
class InteractiveSession(BaseSession):
    """A session that is the default one from when it is made until it is closed."""

    def __init__(self, target: Any = '', graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, _interactive_config(config))
        if _interactive:
            from berth.base import logging

            logging.error(
                'An interactive session is already active. This can cause out-of-memory errors or some other '
                'unexpected errors (due to the unpredictable timing of garbage collection) in some cases. You must '
                'explicitly call `InteractiveSession.close()` to release resources held by the other session(s). '
                'Please use `tf.Session()` if you intend to productionize.')
        _interactive.append(self)
        self._explicit_graph = None if graph is None else self._graph.as_default()
        if self._explicit_graph is not None:
            self._explicit_graph.__enter__()
        scopes.default_sessions.items.append(self)

    def close(self) -> None:
        """Closes it, and the session before it is the default one again."""
        super().close()
        if self in _interactive:
            _interactive.remove(self)
        if self in scopes.default_sessions.items:
            scopes.default_sessions.items.remove(self)
        if self._explicit_graph is not None:
            self._explicit_graph.__exit__(None, None, None)
            self._explicit_graph = None

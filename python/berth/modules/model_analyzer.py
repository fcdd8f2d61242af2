"""model_analyzer - TF1's tf.profiler: what a graph holds, and what its runs took, as a text and a message."""

from __future__ import annotations

import os
import sys
from typing import Any, Optional

from berth.base import execution, naming
from berth.framework import errors, scopes
from berth.framework.collections import GraphKeys
from berth.framework.tensor_shape import TensorShape
from berth.modules import flops, profile_messages, profile_views
from berth.modules.profile_nodes import Nodes
from berth.modules.profile_options import TRAINABLE_VARIABLES, Options, ProfileOptionBuilder

_TIME = 'cpu execution time: The time from the start to the end of the operation. It\'s the sum of actual cpu run time ' \
    'plus the time that it spends waiting if part of computation is launched asynchronously.'
_ACCELERATOR = 'accelerator execution time: Time spent executing on the accelerator. This is normally measured by the ' \
    'actual hardware library.'
_COLUMNS = {
    'bytes': 'requested bytes: The memory requested by the operation, accumulatively.',
    'micros': 'total execution time: Sum of accelerator execution time and cpu execution time.\n'
              f'{_TIME}\n{_ACCELERATOR}',
    'params': 'param: Number of parameters (in the Variable).',
    'float_ops': 'flops: Number of float operations. Note: Please read the implementation for the math behind it.',
    'tensor_value': 'tensor_value: Not supported now.',
    'device': 'device: which device is placed on.',
    'op_types': 'op_types: The attributes of the operation, includes the Kernel name device placed on and user-defined '
                'strings.',
    'occurrence': 'occurrence: The number of times it occurs',
    'input_shapes': 'input shape: The shape of input tensors',
    'accelerator_micros': _ACCELERATOR,
    'cpu_micros': _TIME,
    'peak_bytes': 'peak bytes: The peak amount of memory that the operation is holding at some point.',
    'residual_bytes': 'residual bytes: The memory not de-allocated after the operation finishes.',
    'output_bytes': 'output bytes: The memory that is output from the operation (not necessarily allocated by the '
                    'operation)',
}
_SCOPES = 'scope: The nodes in the model graph are organized by their names, which is hierarchical like filesystem.'
# A view by inputs is described as one by scopes in TensorFlow, too.
_VIEWS = {
    'scope': (profile_views.by_scopes, _SCOPES), 'graph': (profile_views.by_inputs, _SCOPES),
    'op': (profile_views.by_types, 'op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes '
                                   'belonging to the same type are aggregated together.'),
}
_STREAMS = '\n\nFound accelerator operation but misses accelerator stream stats!\n\nIt\'s likely a gpu tracing issue ' \
    'rather than tf-profiler issue.\nIf you found your operation missing accelerator time, consider to post to ' \
    'discuss@tensorflow.org!\n\n'


# ---- What the graph says ----


def _fill_shapes(graph: Any, run_metadata: Any) -> None:
    """Gives tensors the shapes that they had in a run."""
    for device in run_metadata.step_stats.dev_stats:
        for stats in device.node_stats:
            if not stats.output:
                continue
            try:
                op = graph.get_operation_by_name(stats.node_name)
            except KeyError:  # One that the runtime made.
                continue
            if len(stats.output) != len(op.outputs):
                continue
            for tensor, output in zip(op.outputs, stats.output):
                if tensor.shape.is_fully_defined():
                    continue
                shape = TensorShape([dim.size for dim in output.tensor_description.shape.dim])
                try:
                    tensor.set_shape(tensor.shape.merge_with(shape))
                except ValueError as error:
                    sys.stderr.write(f'Node {stats.node_name} incompatible shapes: {error}.\n')


def _log_of_graph(graph: Any, run_metadata: Any, add_trace: bool) -> tuple[dict[str, Any], dict[str, int]]:
    """Returns what is to be added to nodes by their names, and the numbers of texts in it."""
    if run_metadata:
        _fill_shapes(graph, run_metadata)
    lacking, found, texts = 0, {}, {'none': 0}
    for op in graph.get_operations():
        try:
            count = flops.of(op)
        except ValueError:
            lacking, count = lacking + 1, None
        entry = profile_messages.OpLogEntry(name=op.name, float_ops=count or 0)
        if add_trace:
            for file, line, function, text in op.traceback:
                entry.code_def.traces.add(
                    file_id=texts.setdefault(file, len(texts)), lineno=line or -1, func_start_line=-1,
                    function_id=texts.setdefault(function, len(texts)),
                    line_id=texts.setdefault(text, len(texts)) if text else 0)
        if count or add_trace:
            found[op.name] = entry
    for variable in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES):
        name = variable.op.name
        found.setdefault(name, profile_messages.OpLogEntry(name=name)).types.append(TRAINABLE_VARIABLES)
    if lacking and not run_metadata:
        sys.stderr.write(f'{lacking} ops no flops stats due to incomplete shapes.\n')
    return found, texts


def _merged_log(graph: Any, op_log: Any, run_metadata: Any, add_trace: bool) -> Any:
    """Returns an OpLogProto with what a program gives and what the graph says."""
    log = profile_messages.OpLogProto()
    if graph is None:
        return log
    found, texts = _log_of_graph(graph, run_metadata, add_trace)
    given = {entry.name: entry for entry in op_log.log_entries} if op_log else {}
    for name, entry in found.items():
        other = given.setdefault(name, entry)
        if other is entry:
            continue
        other.types.extend(entry.types)
        other.float_ops = other.float_ops or entry.float_ops
        if entry.code_def.traces and not other.code_def.traces:
            other.code_def.MergeFrom(entry.code_def)
    log.log_entries.extend(given.values())
    for text, number in texts.items():
        log.id_to_string[number] = text
    return log


def _graph(graph: Any) -> Any:
    return scopes.get_default_graph() if graph is None and not execution.executing_eagerly() else graph


def write_op_log(graph: Any, log_dir: str, op_log: Any = None, run_meta: Any = None, add_trace: bool = True) -> None:
    """Writes what is known of nodes beside the graph into the file tfprof_log."""
    log = _merged_log(_graph(graph), op_log, run_meta, add_trace)
    with open(os.path.join(log_dir, 'tfprof_log'), 'wb') as file:
        file.write(log.SerializeToString())


# ---- Profiles ----


def _check(command: str, options: Options) -> None:
    """Raises for what Berth does not have."""
    if command == 'code':
        raise NotImplementedError('tf.profiler: Berth has no view of Python code; there are scope, graph and op')
    if command not in _VIEWS:
        raise errors.InvalidArgumentError(None, None, f'unknown cmd: {command}\n')
    if options.kind in ('timeline', 'pprof'):
        raise NotImplementedError(f'tf.profiler: Berth writes no output of type {options.kind}; there are stdout, file and '
                                  'none, and tensorflow.python.client.timeline')


def _run(nodes: Nodes, command: str, options: Options) -> Any:
    """Makes a profile, prints or writes it, and returns its message."""
    view, about = _VIEWS[command]
    is_printed = options.kind == 'stdout'
    begin = (f'\n=========================Options=============================\n{options}'
             '\n==================Model Analysis Report======================\n')
    empty = profile_messages.MultiGraphNodeProto() if command == 'op' else profile_messages.GraphNodeProto()
    text, proto = '', empty
    if options.step >= 0 and options.step not in nodes.steps:
        steps = ''.join(f'{step} ' for step in sorted(nodes.steps))
        profile_views.complain(f'Options -step={options.step} not found.\nAvailable steps: {steps}')
    else:
        columns = '\n'.join(_COLUMNS[name] for name in options.select if name in _COLUMNS)
        rows, proto = view(nodes, options)
        text = f'{_STREAMS if nodes.lacks_streams else ""}\nDoc:\n{about}\n{columns}\n\nProfile:\n{rows}'
    if is_printed:
        sys.stdout.write(f'{begin}{text}\n======================End of Report==========================\n')
        sys.stdout.flush()
    elif options.kind == 'file' and text:
        with open(options.file, 'w', encoding='utf-8') as file:
            file.write(text)
    return proto


def profile(graph: Any = None, run_meta: Any = None, op_log: Any = None, cmd: str = 'scope', options: Any = 0) -> Any:
    """Prints what a graph holds, and with metadata of a run what that took; returns it as a message."""
    graph = _graph(graph)
    chosen = Options(ProfileOptionBuilder.trainable_variables_parameter() if options == 0 else options)
    _check(cmd, chosen)
    nodes = Nodes()
    log = _merged_log(graph, op_log, run_meta, False)
    if graph is not None:
        nodes.add_graph(graph.as_graph_def(add_shapes=True))
    if run_meta and run_meta.HasField('step_stats'):
        nodes.add_run(0, run_meta)
    nodes.add_log(log)
    return _run(nodes, cmd, chosen)


def advise(graph: Any = None, run_meta: Any = None, options: Any = 0) -> Any:
    """What TensorFlow would advise."""
    raise NotImplementedError('tf.profiler.advise: Berth has no checkers; tf.profiler.profile shows what nodes take')


@naming.public('profiler.model_analyzer')
class Profiler:
    """A profile of several steps."""

    def __init__(self, graph: Any = None, op_log: Any = None) -> None:
        self._graph = _graph(graph)
        self._nodes = Nodes()
        self._add(_merged_log(self._graph, op_log, None, False))

    def _add(self, log: Any, step: int = 0, run_meta: Optional[Any] = None) -> None:
        if self._graph is not None:
            self._nodes.add_graph(self._graph.as_graph_def(add_shapes=True))
        if run_meta is not None:
            self._nodes.add_run(step, run_meta)
        self._nodes.add_log(log)

    def add_step(self, step: int, run_meta: Any) -> None:
        """Adds what a step took."""
        self._add(_merged_log(self._graph, None, run_meta, False), step, run_meta)

    def _profile(self, command: str, options: Any) -> Any:
        chosen = Options(options)
        _check(command, chosen)
        return _run(self._nodes, command, chosen)

    def profile_python(self, options: Any) -> Any:
        """Shows lines of Python."""
        return self._profile('code', options)

    def profile_operations(self, options: Any) -> Any:
        """Shows types of nodes."""
        return self._profile('op', options)

    def profile_name_scope(self, options: Any) -> Any:
        """Shows nodes by scopes."""
        return self._profile('scope', options)

    def profile_graph(self, options: Any) -> Any:
        """Shows nodes by inputs."""
        return self._profile('graph', options)

    def advise(self, options: Any) -> Any:
        """What TensorFlow would advise."""
        return advise(options=options)

    def serialize_to_string(self) -> bytes:
        """The profile as a message for TensorFlow's own tool."""
        raise NotImplementedError('tf.profiler.Profiler.serialize_to_string: Berth has no ProfileProto')

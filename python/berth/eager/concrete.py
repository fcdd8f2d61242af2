"""concrete - ConcreteFunction: one trace of a function, and its runs.

A trace is lowered to a graph and run by a session of the eager runtime, one for each way
it can be placed: the device of the call, those of the arguments, what the settings say.
"""

from __future__ import annotations

import itertools
import os
import weakref
from typing import Any, Callable, Optional, Sequence

from berth import _core as core
from berth.base import execution, naming, recording
from berth.eager import context, lower, structure
from berth.eager.casting import type_text
from berth.eager.func_graph import FuncGraph
from berth.eager.spec import TensorSpec
from berth.framework import convert, errors, scopes
from berth.framework.node import InaccessibleTensorError, Operation, Tensor
from berth.framework.shown import Shown
from berth.ops import array_ops

_kind_of = core.kind_of
_numbers = itertools.count(1)
_MOST_RUNS = 16  # Ways of placing a trace that are kept.
# The graphs of functions that run for the first time, while somebody collects them.
graphs_seen: Optional[list[FuncGraph]] = None


def see_graphs(into: Optional[list[FuncGraph]]) -> None:
    """Collects in |into| the graphs of functions that run for the first time; None: no more."""
    global graphs_seen
    graphs_seen = into


_alive: weakref.WeakSet = weakref.WeakSet()


def _give_up() -> None:
    """Drops what functions keep for their next call: sessions, and the constants in them."""
    for one in list(_alive):
        one._runs, one._quick = (None, {}), {}
        one.__dict__.pop('_backwards', None)


context.settings.keepers.append(_give_up)


@naming.public('eager.polymorphic_function.concrete_function')
class ConcreteFunction:
    """A function traced for one kind of arguments."""

    _is_traced_function = True  # Models are saved with it.

    def __init__(self, graph: FuncGraph, parameters: Any) -> None:
        self.graph = graph
        self.name = f'__inference_{graph.name}_{next(_numbers)}'.encode()
        self._parameters = parameters  # [(name, kind of parameter, spec of its argument)]
        self._argument_count = len(graph.inputs) - len(graph.captures)
        self._pack = structure.packer(graph.structured_outputs, Tensor)
        self._runs: tuple[object, dict[Any, Any]] = (None, {})  # For the settings of an epoch.
        _alive.add(self)
        self._quick: dict[bytes, tuple[object, Any]] = {}  # By kinds of a few tensors: what runs it.
        self._lowered: Any = None
        self.used = 0  # When its function last looked for it; function.py.
        self.is_kept = True  # Its function has it.
        self._given = tuple(outside for outside, inside in graph.captures
                            if inside.op.type != 'Const')

    # ---- What it is ----

    @property
    def inputs(self) -> list[Any]:
        """The tensors that stand for arguments and captures."""
        return self.graph.inputs

    @property
    def outputs(self) -> list[Any]:
        """The tensors it gives, in one row."""
        return self.graph.outputs

    @property
    def structured_outputs(self) -> Any:
        """The tensors it gives, as the function returned them."""
        return self.graph.structured_outputs

    @property
    def structured_input_signature(self) -> Any:
        """The positional and the named arguments it was traced for."""
        return self.graph.structured_input_signature

    @property
    def captured_inputs(self) -> list[Any]:
        """The tensors from outside that it uses."""
        return self.graph.external_captures

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables it uses."""
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those that training is to change."""
        return tuple(v for v in self.graph.variables if v.trainable)

    @property
    def output_dtypes(self) -> Any:
        """The types of the results, as the function returned them."""
        return self._each_output(lambda t: t.dtype, None)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results, as the function returned them."""
        from berth.framework.tensor_shape import TensorShape

        return self._each_output(lambda t: t.shape, TensorShape(None))

    def _each_output(self, see: Callable[[Any], Any], nothing: Any) -> Any:
        form = self.graph.structured_outputs
        return structure.pack(form, iter([see(t) if isinstance(t, Tensor) else nothing
                                          for t in structure.flatten(form)]))

    # ---- Its signature in words ----

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Returns what goes in and comes out, in lines or in one."""
        if not verbose:
            return self._signature_text()
        lines = ['Input Parameters:']
        lines += [f'  {name} ({kind.name}): {type_text(value)}'
                  for name, kind, value in self._parameters]
        lines += ['Output Type:', '  ' + type_text(self.structured_outputs), 'Captures:']
        captures = [f'  {id(outside)}: {TensorSpec(outside.shape, outside.dtype)!r}'
                    for outside, inside in self.graph.captures if inside.op.type != 'Const']
        return '\n'.join(lines + (captures or ['  None']))

    @property
    def function_type(self) -> Any:
        """What goes in and comes out; prints itself."""
        return _FunctionType(self.pretty_printed_signature(), self._signature_text())

    def _signature_text(self) -> str:
        import inspect

        shown = [inspect.Parameter(name, kind, annotation=Shown(type_text(value)))
                 for name, kind, value in self._parameters]
        return f'{inspect.Signature(shown)} -> {type_text(self.structured_outputs)}'

    def __repr__(self) -> str:
        return f'<ConcreteFunction {self._signature_text()} at 0x{id(self):X}>'

    def __str__(self) -> str:
        return 'ConcreteFunction ' + self.pretty_printed_signature()

    # ---- Calling ----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it with arguments as the function takes them, or with its tensors in a row."""
        from berth.eager import binding

        key = None if kwargs or execution.tapes else _kind_of(args)
        quick = None if key is None else self._quick.get(key)
        if quick is not None and quick[0] is context.settings.epoch:
            try:
                return self._pack(quick[1](*args, *self._given))
            except errors.OpError as error:
                raise self.explain(error) from None
        tensors = binding.concrete_inputs(self, args, kwargs)
        result = self.call_flat(tensors)
        if key is not None and not context.settings.is_logging_now:
            self._remember(key, args, tensors)
        return result

    def _remember(self, key: bytes, args: tuple, tensors: Sequence[Any]) -> None:
        """Makes calls with a few tensors of such kinds quick, as long as no setting changes."""
        if len(tensors) == len(args) and all(one is other for one, other in zip(tensors, args)):
            if len(self._quick) >= _MOST_RUNS:
                self._quick = {}
            self._quick[key] = context.settings.epoch, self.runner(tensors)[0]

    def call_flat(self, tensors: Sequence[Any]) -> Any:
        """Runs it, or adds a call of it to the function that is being traced."""
        if not scopes.executing_eagerly():
            return self._call_in_graph(tensors)
        if core.tapes():
            from berth.eager import backward

            self._check_types(tensors)
            return self.results(backward.call(self, tensors, self._given))
        return self.results(self.run(tensors))

    def run(self, tensors: Sequence[Any]) -> list[Any]:
        """Runs it with |tensors| for its arguments and returns its tensors in a row."""
        try:
            self._check_types(tensors)
            run, labels = self.runner(tensors)
            self._log_call()
            return label(run(*tensors, *self._given), labels)
        except errors.OpError as error:
            raise self.explain(error) from None

    def results(self, tensors: Sequence[Any]) -> Any:
        """Gives |tensors| the form that the function returned."""
        return self._pack(tensors)

    def _check_types(self, tensors: Sequence[Any]) -> None:
        for index, (tensor, inside) in enumerate(zip(tensors, self.graph.inputs)):
            if tensor.dtype != inside.dtype:
                raise errors.InvalidArgumentError(
                    None, None, f'cannot compute {self.name.decode()} as input #{index}'
                    f'(zero-based) was expected to be a {context.runtime_name(inside.dtype)} tensor '
                    f'but is a {context.runtime_name(tensor.dtype)} tensor')

    def runner(self, tensors: Sequence[Any]) -> tuple[Any, Any]:
        """Returns what runs it with arguments that are where |tensors| are.

        With it come the devices that results in the host's memory belong to, where a scope
        decides that.
        """
        devices = tuple([tensor.device for tensor in tensors])
        epoch, runs = self._runs
        if epoch is not context.settings.epoch:
            runs = {}  # What was placed for other settings is of no use any more.
            self._runs = context.settings.epoch, runs
        key = context.state.device, devices
        found = runs.get(key)
        if found is None:
            found = self._prepare(devices)
            if len(runs) >= _MOST_RUNS:
                runs.clear()
            runs[key] = found
        return found

    def _prepare(self, devices: tuple) -> Any:
        """Opens a session that is placed for a call as it is now."""
        if graphs_seen is not None:
            graphs_seen.append(self.graph)
        if context.state.checks:
            raise NotImplementedError('tf.debugging.enable_check_numerics: Berth looks at the results of ops that run at '
                                      'once, not in a tf.function; tf.config.run_functions_eagerly(True) makes it so.')
        handle = context.settings.handle()
        given = iter([*devices, *(tensor.device for tensor in self._given)])
        lowered = lower.Lowered(self.graph, [
            '' if tensor.op.type == 'Const' else next(given) for tensor in self.graph.inputs])
        self._lowered = lowered
        session = handle.session(lowered.core, self._preferred(handle))
        for node, device in lowered.pins:
            session.pin(node, device)
        run = self._recorded(session, lowered)
        if run is None:
            run = session.make_callable(lowered.feeds, lowered.fetches, lowered.targets)
        if os.environ.get('BERTH_EXPLAIN'):
            from berth.eager import explain

            explain.at_exit(session, lowered, self.name.decode())
        return run, [_belongs(session.placement(node)[0]) for node, _ in lowered.fetches]

    def _recorded(self, session: Any, lowered: Any) -> Optional[Callable[..., list[Any]]]:
        """Returns what runs it and notes so, while runs are recorded; None otherwise."""
        recorder = recording.recorder
        if recorder is None:
            return None
        name, find = self.name.decode(), lowered.sources.get

        def run(*tensors: Any) -> list[Any]:
            feeds = list(zip(lowered.feeds, tensors))
            return recorder.run(session, name, find, recording.TRACED, lowered.fetches, lowered.targets, feeds)[0]

        return run

    def _preferred(self, handle: Any) -> Optional[str]:
        device = context.state.device
        if device is not None and device not in handle.devices and not context.settings.is_soft():
            types = sorted({name.rpartition('/device:')[2].partition(':')[0] for name in handle.devices},
                           key=lambda kind: kind == 'CPU')
            raise errors.InvalidArgumentError(
                None, None, f"Could not satisfy device specification '{device}'. enable_soft_placement=0. Supported "
                f'device types [{", ".join(types)}]. All available devices [{", ".join(handle.devices)}].')
        return device if device in handle.devices else None

    def _log_call(self) -> None:
        if not context.settings.is_logging_now:
            return
        from berth.base import logging

        names = context.settings.names()
        first = next((name for name in names if name.endswith('/device:GPU:0')), names[0])
        text = f'Executing op {self.name.decode()} in device {context.state.device or first}'
        if os.environ.get('BERTH_PLACEMENT_LOG') == 'tf2':
            logging.runtime_line('I', 'execute.cc', 1775, text)
        else:
            os.write(1, f'{text}\n'.encode())

    def explain(self, error: Any) -> Any:
        """Returns |error| with the lines that made the node that failed, and the function."""
        from berth.eager import user_code

        return user_code.of_run(error, self.name.decode(),
                                self._lowered.sources if self._lowered else {})

    # ---- Memory ----

    def memory_plan(self, batch: Optional[int] = None) -> Any:
        """Plans what a run takes of memory; |batch| is what unknown first dimensions of arguments are.

        TensorFlow has none of this. Runs are planned as they would be placed now; arguments count as brought to
        the card that works on them. A first run that reads variables may take more: it does not know their shapes.
        """
        from berth.eager import function_memory

        return function_memory.make(self, batch)

    # ---- Calls inside of other functions ----

    def _call_in_graph(self, tensors: Sequence[Any]) -> Any:
        graph: Any = scopes.get_default_graph()
        inputs = [graph.capture_for_call(tensor) for tensor in [*tensors, *self._given]]
        op = self._call_node(graph, inputs)
        graph.calls[op] = self
        for variable in self.graph.variables:
            graph.watch(variable)
        for made, inside in zip(op.outputs, self.graph.outputs):
            made.set_shape(inside.shape)
        return self.results(op.outputs)

    def _call_node(self, graph: Any, inputs: list[Any]) -> Operation:
        stateful = bool(self.graph.order().must_run)
        return graph.add(
            'StatefulPartitionedCall' if stateful else 'PartitionedCall', None, [inputs], {
                'f': self.name, 'Tin': [core.DType(t.dtype.number) for t in inputs],
                'Tout': [core.DType(t.dtype.number) for t in self.graph.outputs]})


def _belongs(placed: str) -> Optional[str]:
    """Returns the device that a result placed on |placed| belongs to, if a scope says so."""
    device = context.state.device
    if device is None or '/device:CPU:' in device:
        return device
    return device if device == placed else None


def label(tensors: list[Any], labels: Sequence[Optional[str]]) -> list[Any]:
    """Tells results in the host's memory which device they belong to."""
    for tensor, device in zip(tensors, labels):
        if device is not None and '/device:GPU:' not in tensor._memory:
            tensor._device = device
    return tensors


class _FunctionType:
    """What a function takes and gives, to be printed."""

    def __init__(self, long: str, short: str) -> None:
        self._long, self._short = long, short

    def __repr__(self) -> str:
        return self._long

    def __str__(self) -> str:
        return self._short


def output_of(leaf: Any, python: Any) -> Any:
    """Returns a result as a tensor with a node of its own; None stays None."""
    if leaf is None:
        return None
    try:
        if isinstance(leaf, Operation):
            raise TypeError
        # Of a TensorArray its list is given.
        return array_ops.identity(convert.convert_to_tensor(leaf.flow if hasattr(leaf, '_with_flow') else leaf))
    except InaccessibleTensorError:
        raise
    except (TypeError, ValueError):
        raise TypeError(
            'To be compatible with tf.function, Python functions must return zero or more '
            'Tensors or ExtensionTypes or None values; in compilation of '
            f'{python}, found return value of type {type(leaf).__name__}, which is not a Tensor '
            'or ExtensionType.') from None

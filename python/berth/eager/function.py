"""function - tf.function: Python traced into a graph once for each kind of arguments.

    call ──> kind of the arguments ──> trace (concrete.py) ──> session ──> results
                 │ a few eager tensors: the extension's own key
                 └ anything else: binding.py, kinds.py

Python's `if`, `while` and `for` on tensors are rewritten first (`berth/_autograph`), unless autograph=False.

A function keeps so many traces, and forgets the least recently used: BERTH_FUNCTION_CACHE in
the environment says how many, or it is 256. Who runs a trace, or holds it, keeps it.
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from typing import Any, Callable, Optional, Sequence

from berth import _core as core
from berth.base import execution, naming
from berth._autograph import call as autograph_call
from berth._autograph.options import Status, StatusScope
from berth.eager import binding, composite_spec, concrete, context, in_place, kinds, retracing, structure, weak_method
from berth.eager.concrete import ConcreteFunction
from berth.eager.func_graph import FuncGraph
from berth.eager.spec import TensorSpec, VariableSpec
from berth.eager.weak_method import WeakMethod
from berth.framework import convert, errors, scopes
from berth.framework.node import Tensor
from berth.ops import array_ops

_kind_of = core.kind_of
_MOST_QUICK = 256  # Kinds that are called without a look at anything else.
_MOST_TRACES = 256  # Unless the environment says otherwise.
_MOST_KNOWN = 4  # Kinds of calls that are known, for each trace that may be kept.
_ARRAYS = (convert.np.ndarray, convert.np.generic)
_run_eagerly = False

_SINGLETON = (
    'tf.function only supports singleton tf.Variables created on the first call. Make sure the '
    'tf.Variable is only created once or created outside tf.function. See '
    'https://www.tensorflow.org/guide/function#creating_tfvariables for more information.')
_NOT_FIRST = 'Creating variables on a non-first call to a function decorated with tf.function.'


def runs_eagerly() -> bool:
    """True when decorated functions run as plain Python."""
    return _run_eagerly


def set_runs_eagerly(run_eagerly: bool) -> None:
    """Makes decorated functions run as plain Python, or as graphs."""
    global _run_eagerly
    _run_eagerly = bool(run_eagerly)
    context.settings.epoch = object()


# ---- Tracing ----


def _trace(python: Callable[..., Any], name: str, bound: Any, refusal: Optional[str],
           autograph: '_AutoGraph', given: Optional[list[Any]] = None) -> ConcreteFunction:
    """Calls |python| with placeholders, in a graph of its own.

    |refusal| is what creating a variable is answered; None: it may, from |given|, the values of the call.
    """
    graph = FuncGraph(name)
    graph.refusal, graph.given = refusal, given
    parameters = binding.parameters_of(bound)
    with graph.as_default():
        labels = [label for label, _, value in parameters for _ in structure.flatten(value)]
        leaves = [leaf for _, _, value in parameters for leaf in structure.flatten(value)]
        inside = iter([_stand_in(graph, leaf, label) for leaf, label in zip(leaves, labels)])
        args, kwargs = _call_form(bound, [structure.pack(v, inside) for _, _, v in parameters])
        result = autograph.call(python, args, kwargs)
        graph.structured_outputs = structure.pack(result, iter([
            concrete.output_of(leaf, python) for leaf in structure.flatten(result)]))
        graph.outputs = [t for t in structure.flatten(graph.structured_outputs)
                         if isinstance(t, Tensor)]
        graph.finish()
    graph.given = None  # A trace outlives the call that it was made for.
    graph.inputs += [captured for _, captured in graph.captures]
    described, shown = ([(label, kind, _described(label, value, fills)) for label, kind, value in parameters]
                        for fills in (True, False))
    graph.structured_input_signature = composite_spec.closed((
        tuple(value for _, kind, value in described if kind.name != 'KEYWORD_ONLY'),
        {label: value for label, kind, value in described if kind.name == 'KEYWORD_ONLY'}))
    return ConcreteFunction(graph, shown)


def _stand_in(graph: FuncGraph, leaf: Any, label: str) -> Any:
    """Returns what stands for an argument in the graph."""
    if kinds.is_variable(leaf):
        from berth.eager import variable

        made = array_ops.placeholder('resource', (), label)
        graph.inputs.append(made)
        return variable.behind(made, leaf)
    if not kinds.is_tensor(leaf):
        return leaf
    spec = kinds.spec_of(leaf)
    made = array_ops.placeholder(spec.dtype, spec.shape, spec.name or label)
    graph.inputs.append(made)
    return made


def _call_form(bound: Any, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Returns positional and named arguments with |values| in the places of those of |bound|."""
    rest = iter(values)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for parameter in bound.signature.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += [next(rest) for _ in bound.arguments.get(parameter.name, ())]
        elif parameter.kind is parameter.VAR_KEYWORD:
            for key in bound.arguments.get(parameter.name, {}):
                kwargs[key] = next(rest)
        elif parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[parameter.name] = next(rest)
        else:
            args.append(next(rest))
    return args, kwargs


class _AutoGraph:
    """Whether and how a function is converted before it is traced."""

    def __init__(self, is_on: bool, features: Any) -> None:
        self.is_on, self.features = is_on, features

    def call(self, python: Callable[..., Any], args: Any, kwargs: dict) -> Any:
        """Calls the function of the program."""
        if isinstance(python, WeakMethod):
            python, args = python.function, (python.instance(), *args)
        if not self.is_on:
            with StatusScope(Status.UNSPECIFIED):
                return python(*args, **kwargs)
        return autograph_call.call_converted(python, args, kwargs, self.features)


def _described(name: str, value: Any, fills: bool) -> Any:
    """Returns an argument with specs for tensors and variables, and no object kept alive.

    Specs without a name get the path of the argument if |fills|.
    """
    variables: list[Any] = []
    return structure.pack(value, iter([
        _leaf_described(leaf, path if fills else None, variables)
        for leaf, path in zip(structure.flatten(value), structure.paths(value, name))]))


def _leaf_described(leaf: Any, path: Optional[str], variables: list[Any]) -> Any:
    if kinds.is_variable(leaf):
        variables.append(leaf)
        alias = next(i for i, other in enumerate(variables) if other is leaf)
        return VariableSpec(leaf.shape, leaf.dtype, leaf.trainable, alias)
    if kinds.is_tensor(leaf):
        spec = kinds.spec_of(leaf)
        return TensorSpec(spec.shape, spec.dtype, spec.name or path)
    if leaf is None or isinstance(leaf, (int, float, str, bytes)):
        return leaf
    try:
        return weakref.ref(leaf)
    except TypeError:
        return leaf


# ---- Functions with many traces ----


def _is_in_flow() -> bool:
    """True inside a branch or loop, where everything that a function does has to belong to it."""
    graph = scopes.default_graphs.top()
    return graph is not None and graph._scopes.flow is not None


def _trace_limit() -> int:
    """Returns how many traces a function keeps."""
    text = os.environ.get('BERTH_FUNCTION_CACHE', '')
    return max(int(text), 1) if text.isdecimal() else _MOST_TRACES


_alive: weakref.WeakSet = weakref.WeakSet()


def _give_up() -> None:
    """Drops what leads functions to what they ran last."""
    for one in list(_alive):
        one._quick = {}


context.settings.keepers.append(_give_up)


@naming.public('eager.polymorphic_function.polymorphic_function')
class Function:
    """What tf.function returns: traces, made as new kinds of arguments come."""

    _is_traced_function = True  # Models are saved with it.

    def __init__(self, python: Callable[..., Any], input_signature: Any = None,
                 autograph: bool = True, reduce_retracing: bool = False, features: Any = None) -> None:
        functools.update_wrapper(self, python, updated=() if isinstance(python, Function) else ('__dict__',))
        self._python = python
        self._binder = binding.Binder(python, input_signature)
        self._name = getattr(python, '__name__', type(python).__name__)
        self._options = autograph, reduce_retracing, features
        self._autograph = _AutoGraph(autograph, features)
        self._traces: dict[kinds.Kind, ConcreteFunction] = {}
        self._known: dict[kinds.Kind, ConcreteFunction] = {}  # By the kinds of calls.
        self._quick: dict[bytes, Any] = {}
        self._quick_epoch: Any = None
        _alive.add(self)
        self._refusal: Optional[str] = None  # Why variables cannot be created any more.
        self._lock = threading.RLock()  # Held while tracing, and guards |_traces| and |_known|.
        self._limit = _trace_limit()
        self._made = 0  # Traces made so far; the clock by which they are forgotten.
        self._bound: Any = weakref.WeakKeyDictionary()
        self._detector = retracing.detector_of(weak_method.function_of(python))

    # ---- What it is ----

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function that was decorated."""
        return self._python

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._name

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return list(self._traces.values())

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[str, ConcreteFunction]:
        """Returns its traces, by name, for a model; one with a signature has one at least."""
        if save_type == 'checkpoint':
            return {}
        if self.input_signature is not None:
            self.get_concrete_function()
        return {f'trace_{i}': trace for i, trace in enumerate(self._list_all_concrete_functions())}

    @property
    def function_spec(self) -> Any:
        """What it takes: the binder of its arguments."""
        return self._binder

    @property
    def input_signature(self) -> Any:
        """The signature that was asked for, or None."""
        return composite_spec.closed(self._binder.specs)

    def experimental_get_tracing_count(self) -> int:
        """Returns how often the function was traced."""
        return self._made

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the signatures of all traces."""
        return '\n\n'.join(trace.pretty_printed_signature(verbose)
                           for trace in list(self._traces.values()))

    def __reduce__(self) -> Any:
        return Function, (self._python, self._binder.specs, *self._options)

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        try:
            if instance not in self._bound:
                self._bound[instance] = self._bind_to(instance, WeakMethod(self._python, instance))
            return self._bound[instance]
        except TypeError:  # It cannot be referred to weakly, or compared.
            return self._bind_to(instance, self._python.__get__(instance, owner))

    def _bind_to(self, instance: Any, method: Any) -> 'Function':
        return Function(method, self._binder.specs, *self._options)

    # ---- Traces ----

    def _trace_for(self, bound: Any, given: Optional[list[Any]] = None) -> ConcreteFunction:
        """Returns the trace that serves such arguments, made if need be; |given| are the tensors of a call."""
        kind = kinds.of([bound.args, bound.kwargs])
        trace = self._known.get(kind)
        if trace is None:
            with self._lock:
                trace = self._find_wider(kind) or self._make(bound, kind, given)
                if len(self._known) >= self._limit * _MOST_KNOWN:
                    self._known.clear()
                self._known[kind] = trace
        trace.used = self._made
        return trace

    def _find_wider(self, kind: kinds.Kind) -> Optional[ConcreteFunction]:
        """Returns the narrowest trace that serves |kind|."""
        found: Optional[kinds.Kind] = None
        for other in self._traces:
            if kinds.covers(other, kind) and (found is None or kinds.covers(found, other)):
                found = other
        return None if found is None else self._traces[found]

    def _make(self, bound: Any, kind: kinds.Kind, given: Optional[list[Any]]) -> ConcreteFunction:
        if self._options[1]:
            kind = kinds.widen(kind, self._traces)
        args, kwargs = kinds.apply_specs([bound.args, bound.kwargs], kind)
        spread = bound.signature.bind(*args, **kwargs)
        trace = _trace(self._python, self._name, spread, self._refusal, self._autograph, given)
        if trace.graph.created:
            # What was created must be found, not created, from now on.
            self._refusal = _SINGLETON
            trace = _trace(self._python, self._name, spread, self._refusal, self._autograph)
        self._refusal = self._refusal or _NOT_FIRST
        self._made += 1
        trace.used = self._made
        self._traces[kind] = trace
        if len(self._traces) > self._limit // 2:
            self._quick = {}  # Quick calls say nothing of what is used.
        if len(self._traces) > self._limit:
            self._forget()
        return trace

    def _forget(self) -> None:
        """Lets go of the least recently used trace."""
        kind = min(self._traces, key=lambda kind: self._traces[kind].used)
        trace = self._traces.pop(kind)
        trace.is_kept = False
        self._known = {kind: other for kind, other in self._known.items() if other is not trace}

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the trace for such arguments, tensors or specs."""
        if self._binder.specs is not None:
            if args or kwargs:
                self._binder.bind(args, kwargs)
            return self._trace_for(self._binder.bind_specs())
        return self._trace_for(self._binder.bind(*composite_spec.opened((args, kwargs))))

    # ---- Calls ----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if execution.tapes:
            return self._call(args, kwargs, None, ())
        if not kwargs:
            key = _kind_of(args)
            if key is not None:
                quick = self._quick.get(key)
                if quick is not None and self._quick_epoch is context.settings.epoch:
                    run, given, trace = quick
                    self._detector.calls += 1
                    try:
                        return trace.results(run(*args, *given))
                    except errors.OpError as error:
                        raise trace.explain(error) from None
                return self._call(args, kwargs, key, args)
        return self._call_known(args, kwargs)

    def _call_known(self, args: tuple, kwargs: dict) -> Any:
        """Does a call whose arguments are more than a few tensors, or that is in a scope."""
        is_eager = scopes.executing_eagerly()
        found = core.key_of(args, kwargs) if is_eager else None
        if found is None and is_eager:
            args, kwargs = self._without_arrays(args, kwargs)
            found = core.key_of(args, kwargs)
        if found is None:
            return self._call(args, kwargs, None, ())
        key = found[0], context.state.device
        quick = self._quick.get(key)
        if quick is None or self._quick_epoch is not context.settings.epoch:
            return self._call(args, kwargs, key, found[1])
        order, labels, given, run, trace = quick
        self._detector.calls += 1
        tensors = [found[1][i] for i in order]
        try:
            return trace.results(concrete.label(run(*tensors, *given), labels))
        except errors.OpError as error:
            raise trace.explain(error) from None

    def _without_arrays(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """Returns arguments with tensors for the arrays of numpy's that are of the types that are asked for."""
        if self._binder.specs is None:
            return tuple([_without_array(value) for value in args]), {k: _without_array(v) for k, v in kwargs.items()}
        kinds_asked = self._binder.array_types
        return tuple([_without_array(value, kind) for value, kind in zip(args, kinds_asked)]) + args[len(kinds_asked):], kwargs

    def _call(self, args: tuple, kwargs: dict, key: Any, seen: Any) -> Any:
        """Does a call at length; |key| is what a later one is known by.

        |seen| are the tensors that come with the key.
        """
        if self._binder.is_method and args:
            return self.__get__(args[0], type(args[0]))(*args[1:], **kwargs)
        if _run_eagerly:
            return self._python(*args, **kwargs)
        if not (scopes.executing_eagerly() or binding.is_in_function()):
            return in_place.call(lambda: self._call_inline(args, kwargs))
        if _is_in_flow() or (execution.tapes and not scopes.executing_eagerly()):
            return self._call_inline(args, kwargs)
        bound = self._binder.bind(args, kwargs)
        tensors = binding.inputs_of(binding.parameters_of(bound))
        before = self._made
        trace = self._trace_for(self._as_specs(bound), tensors)
        result = trace.call_flat(tensors)
        self._note_call(before)
        if key is not None and not context.settings.is_logging_now:
            self._remember(key, trace, tensors, seen, args, kwargs)
        return result

    def _note_call(self, before: int) -> None:
        """Counts a call, |before| which there were so many traces."""
        if not scopes.executing_eagerly():
            return
        if self._made > before:
            self._detector.traced(weak_method.function_of(self._python))
        else:
            self._detector.calls += 1

    def _call_inline(self, args: tuple, kwargs: dict) -> Any:
        """Puts what the function does into the branch or loop, or the graph of a session, that is being built."""
        bound = self._binder.bind(args, kwargs)
        result = self._autograph.call(self._python, bound.args, bound.kwargs)
        return structure.pack(result, iter([
            concrete.output_of(leaf, self._python) for leaf in structure.flatten(result)]))

    def _as_specs(self, bound: Any) -> Any:
        """Returns the arguments that a trace is chosen by: a signature stands for its own."""
        if self._binder.specs is None:
            return bound
        chosen = self._binder.bind_specs()
        names = list(bound.signature.parameters)[len(self._binder.specs):]
        for name in names:
            if name in bound.arguments:
                chosen.arguments[name] = bound.arguments[name]
        return chosen

    def _order(self, key: Any, tensors: list, seen: Any, args: tuple, kwargs: dict) -> Optional[list[int]]:
        """Returns which of |seen|, that come with a key, each of |tensors| is; None when that cannot be told."""
        if not _has_names(key):
            is_same = len(tensors) == len(seen) and all(one is other for one, other in zip(tensors, seen))
            return list(range(len(seen))) if is_same else None
        if len({id(tensor) for tensor in seen}) == len(seen):
            return _places(tensors, seen)
        # The same tensor is there twice: as many others tell their places.
        leaves = structure.flatten((args, kwargs))
        others = structure.pack((args, kwargs), iter([
            array_ops.identity(leaf) if isinstance(leaf, Tensor) else leaf for leaf in leaves]))
        found = core.key_of(*others)
        return _places(binding.inputs_of(binding.parameters_of(self._binder.bind(*others))), found[1])

    def _remember(self, key: Any, trace: ConcreteFunction, tensors: list, seen: Any, args: tuple,
                  kwargs: dict) -> None:
        """Makes calls like this one quick, as long as no setting changes."""
        order = self._order(key, tensors, seen, args, kwargs)
        if order is None or not trace.is_kept:
            return
        if self._quick_epoch is not context.settings.epoch or len(self._quick) >= _MOST_QUICK:
            self._quick, self._quick_epoch = {}, context.settings.epoch
        run, labels = trace.runner(tensors)
        if isinstance(key, tuple):
            self._quick[key] = order, labels, trace._given, run, trace
        else:
            self._quick[key] = run, trace._given, trace


def _without_array(value: Any, kind: Any = None) -> Any:
    """Returns an array of numpy's as a tensor, if that is of |kind|, and anything else as it is."""
    if isinstance(value, _ARRAYS) and (kind is None or value.dtype == kind):
        return convert.convert_to_tensor(value)
    return value


def _has_names(key: Any) -> bool:
    """True when names decide about the order of arguments; without them it is that of their key."""
    return isinstance(key, tuple) and (key[0].count(dict) > 1 or key[0][-2:] != (dict, 0))


def _places(tensors: Sequence[Any], seen: Sequence[Any]) -> Optional[list[int]]:
    """Returns which of |seen|, which all differ, each of |tensors| is; None when one comes from a default."""
    known = {id(tensor): i for i, tensor in enumerate(seen)}
    order = [known.get(id(tensor), -1) for tensor in tensors]
    return None if -1 in order or len(order) != len(seen) else order


def function(func: Optional[Callable[..., Any]] = None, input_signature: Any = None,
             autograph: bool = True, jit_compile: Optional[bool] = None,
             reduce_retracing: bool = False, experimental_implements: Optional[str] = None,
             experimental_autograph_options: Any = None, experimental_attributes: Any = None,
             experimental_relax_shapes: Optional[bool] = None,
             experimental_compile: Optional[bool] = None,
             experimental_follow_type_hints: Optional[bool] = None) -> Any:
    """Makes a Function of |func|, or a decorator that does.

    Hints to a compiler change nothing: every graph is planned before it runs.
    """
    def decorate(python: Callable[..., Any]) -> Function:
        if not callable(python):
            raise TypeError(f'{python!r} is not a callable object')
        return Function(python, input_signature, autograph, bool(reduce_retracing or experimental_relax_shapes),
                        experimental_autograph_options)
    return decorate if func is None else decorate(func)


inside_function = binding.is_in_function


def evaluate(graph: FuncGraph, tensor: Any) -> Any:
    """Returns the value of |tensor| while |graph| is traced; what it depends on is given with the call."""
    alone = FuncGraph(graph.name)
    alone.__dict__.update(graph.__dict__)
    given = graph.given if graph.given and all(isinstance(t, core.Tensor) for t in graph.given) else []
    alone.inputs = (list(graph.inputs) if given else []) + [inside for _, inside in graph.captures]
    alone.outputs = [tensor]
    alone.acts_later = True
    with scopes.init_scope():
        return ConcreteFunction(alone, []).run(given)[0]
